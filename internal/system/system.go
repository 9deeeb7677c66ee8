// Package system knows nothing of bugs: atomic files, free disk space and
// other small services of the operating system. Child processes are in proc,
// content-addressed folders in cachedir.
package system
