"""What each kernel computes, written in numpy: the meaning, and the way without a compiler."""
