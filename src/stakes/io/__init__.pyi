# Written by `make exports` from the `__all__` of each module.
from stakes.io.columns import Columns as Columns
from stakes.io.columns import LongColumns as LongColumns
from stakes.io.relations import Relation as Relation
from stakes.io.relations import Roles as Roles
from stakes.io.units import column_names as column_names
from stakes.io.trials import join_keys as join_keys
from stakes.io.units import read_batches as read_batches
from stakes.io.units import read_columns as read_columns
from stakes.io.whole import read_pairs as read_pairs
from stakes.io.whole import read_whole as read_whole
from stakes.io.relations import table_columns as table_columns
from stakes.io.whole import with_columns as with_columns
from stakes.io.whole import write_table as write_table
