class Old:
	"""Tabs and Python 2."""
	def run(self, (a, b)=None):
		print "x = %d" % 3
		print >>sys.stderr, "y"
		exec "x = 1" in {}

	def stop(self):
		raise ValueError, "no"
