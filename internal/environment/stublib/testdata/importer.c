/* A library that needs two of CUDA's, one with symbol versions, as torch's do.
 * Built once (both libraries written by this package):
 *   gcc -shared -nostdlib -s -Wl,--hash-style=gnu,-z,noseparate-code,-rpath,'$ORIGIN' \
 *       -o importer.so importer.c ./libcudart.so.12 ./libnccl.so.2
 */
int cudaGetDeviceCount(int *);
int cudaMemGetInfo(unsigned long *, unsigned long *);
const char *cudaGetErrorString(int);
int ncclGetVersion(int *);
int cudnnFoundElsewhere(void) { return 7; }

int count(void) { int n = 5; return cudaGetDeviceCount(&n) * 100 + n; }
int memory(void) { unsigned long a, b; return cudaMemGetInfo(&a, &b); }
const char *text(void) { return cudaGetErrorString(35); }
int nccl(void) { int v = 0; return ncclGetVersion(&v) * 100000 + v; }
int own(void) { return cudnnFoundElsewhere(); }
