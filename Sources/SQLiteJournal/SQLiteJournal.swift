import SQLite
import TapJournal
import Threading
