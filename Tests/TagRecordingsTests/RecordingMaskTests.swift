import TagRecordings
import Testing
