# the three programs
