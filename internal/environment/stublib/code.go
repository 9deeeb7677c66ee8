package stublib

import (
	"encoding/binary"
	"strings"
)

// Answers are what the real libraries say on a machine without a driver.
const (
	// cudaErrorInsufficientDriver of the CUDA runtime: what it answers when
	// there is no driver at all (seen with the real library).
	insufficientDriver = 35
	// notInitialized is 1 in cuBLAS, cuDNN, cuSPARSE, cuSOLVER and NVRTC's first
	// error; in NCCL it is "unhandled CUDA error".
	notInitialized = 1
)

// noDevice is the text for every error.
const noDevice = "no CUDA-capable device is detected"

// Facts are versions that a library can say without a device.
type Facts struct {
	CUDNN [3]int // zero when it is not known
	NCCL  [3]int
	// Runtime is that of CUDA, major and minor.
	Runtime [2]int
}

// Code is the machine code (amd64) of a function: most answer with an error
// and touch nothing. Those that return a text return one, and those that a
// script can ask for a version without a device say the truth.
func (f Facts) Code(symbol string) []byte {
	switch {
	case strings.HasSuffix(symbol, "GetErrorString"), strings.HasSuffix(symbol, "GetErrorName"), strings.HasSuffix(symbol, "GetStatusString"), strings.HasSuffix(symbol, "GetLastErrorString"):
		return returnText(noDevice)
	case symbol == "cudaGetDeviceCount":
		return storeAndReturn(0, insufficientDriver)
	case symbol == "cudaDriverGetVersion":
		return storeAndReturn(0, 0) // 0 is "no driver"
	case symbol == "cudaRuntimeGetVersion" && f.Runtime != [2]int{}:
		return storeAndReturn(1000*f.Runtime[0]+10*f.Runtime[1], 0)
	case symbol == "cudnnGetVersion" && f.CUDNN != [3]int{}:
		return returnNumber(cudnnNumber(f.CUDNN))
	case symbol == "cudnnGetProperty" && f.CUDNN != [3]int{}:
		return storeProperty(f.CUDNN)
	case symbol == "ncclGetVersion" && f.NCCL != [3]int{}:
		return storeAndReturn(10000*f.NCCL[0]+100*f.NCCL[1]+f.NCCL[2], 0)
	case strings.HasPrefix(symbol, "cuda"):
		return returnNumber(insufficientDriver)
	}
	return returnNumber(notInitialized)
}

// cudnnNumber is CUDNN_VERSION: its scale changed with release 9.
func cudnnNumber(v [3]int) int {
	if v[0] >= 9 {
		return 10000*v[0] + 100*v[1] + v[2]
	}
	return 1000*v[0] + 100*v[1] + v[2]
}

// returnNumber: mov eax, n; ret. The upper half of the register is zero then.
func returnNumber(n int) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{0xb8}, uint32(n)), 0xc3) //nolint:gosec // small
}

// storeAndReturn: mov dword [rdi], n; mov eax, result; ret.
func storeAndReturn(n, result int) []byte {
	code := binary.LittleEndian.AppendUint32([]byte{0xc7, 0x07}, uint32(n)) //nolint:gosec // small
	return append(code, returnNumber(result)...)
}

// returnText: lea rax, [rip+1]; ret; and the text behind it.
func returnText(text string) []byte {
	code := []byte{0x48, 0x8d, 0x05, 1, 0, 0, 0, 0xc3}
	return append(append(code, text...), 0)
}

// storeProperty answers cudnnGetProperty(kind, *value): major for 0, minor for
// 1, patch for 2.
//
//	cmp edi, 1; mov eax, major; mov ecx, minor; mov edx, patch
//	cmove eax, ecx; cmova eax, edx; mov [rsi], eax; xor eax, eax; ret
func storeProperty(v [3]int) []byte {
	code := []byte{0x83, 0xff, 0x01}
	for i, op := range []byte{0xb8, 0xb9, 0xba} {
		code = binary.LittleEndian.AppendUint32(append(code, op), uint32(v[i])) //nolint:gosec // small
	}
	return append(code, 0x0f, 0x44, 0xc1, 0x0f, 0x47, 0xc2, 0x89, 0x06, 0x31, 0xc0, 0xc3)
}
