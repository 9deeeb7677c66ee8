package ort

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// library writes an ELF file of one segment, as long as that promises: nothing
// that a loader would take, but whole.
func library(t testing.TB, kind elf.Type, size uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	head := elf.Header64{
		Ident:   [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:    uint16(kind),
		Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	}
	part := elf.Prog64{Type: uint32(elf.PT_LOAD), Off: 120, Filesz: size, Memsz: size}
	for _, v := range []any{head, part} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	b.Write(make([]byte, min(size, 4096)))
	return b.Bytes()
}

// TestCutShort: a library that lacks its end must be refused before the
// system's loader sees it, which would end the process.
func TestCutShort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only ELF is looked into")
	}
	whole := library(t, elf.ET_DYN, 4096)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":             {nil, "no shared library"},
		"text":              {[]byte("no library at all\n"), "no shared library"},
		"half a head":       {whole[:30], "no shared library"},
		"no segments":       {whole[:64], "no shared library"},
		"half a segment":    {whole[:1000], "cut short"},
		"one byte less":     {whole[:len(whole)-1], "cut short"},
		"an absurd segment": {library(t, elf.ET_DYN, 1<<63), "cut short"},
		"a program":         {library(t, elf.ET_EXEC, 4096), "no shared library"},
		"another library":   {whole, "no onnxruntime"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "libonnxruntime.so")
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			err := Load(path)
			if !errors.Is(err, ErrNoRuntime) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
