"""The checks of `hub-index doctor`, a file for each subject; the verb itself is cli/verbs/doctor.py."""
