"""What `hub-index doctor` checks, a file for each subject; the verb itself is cli/verbs/doctor.py."""
