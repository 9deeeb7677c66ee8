// Package stublib writes shared libraries that stand in for those of CUDA
// where nothing computes on a GPU: each has the name, the symbol versions and
// the functions that the installed files ask their loader for, and every
// function fails as the real one does on a machine without a driver.
//
// A CUDA build of torch cannot be imported without these libraries (Python
// opens its parts with all symbols bound at once), yet on a machine without a
// GPU it calls hardly any of them. They are two thirds of its 4.9 GB.
package stublib
