package stublib

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
)

// Symbol is one function that somebody imports. Version is "" for a function
// that is asked for without one.
type Symbol struct {
	Name    string
	Version string
}

// Library is what one stub has to offer.
type Library struct {
	Soname string
	// Versions are the symbol versions that somebody wants to exist, also those
	// that only weak imports carry.
	Versions []string
	Symbols  []Symbol
}

// align is the largest page size of the machines in question; segments whose
// addresses are apart by it load everywhere.
const align = 0x10000

// Sizes of the records of a 64-bit file (System V ABI, chapter "Object Files",
// and the Linux Standard Base for versions).
const (
	ehdrSize, phdrSize, shdrSize        = 64, 56, 64
	symSize, dynSize                    = 24, 16
	verdefSize, verdauxSize             = 20, 8
	firstVersion                        = 2 // 0 is local, 1 global without a version
	flagBase                     uint16 = 1 // the definition that names the file itself
)

// names is a string table that holds each string once.
type names struct {
	data bytes.Buffer
	at   map[string]uint32
}

func newNames() *names {
	n := &names{at: map[string]uint32{"": 0}}
	n.data.WriteByte(0)
	return n
}

func (n *names) add(s string) uint32 {
	if at, ok := n.at[s]; ok {
		return at
	}
	at := uint32(n.data.Len()) //nolint:gosec // a few hundred KiB
	n.at[s] = at
	n.data.WriteString(s)
	n.data.WriteByte(0)
	return at
}

// part is one section of the file.
type part struct {
	name  string
	kind  elf.SectionType
	flags elf.SectionFlag
	link  uint32 // index of the section that it refers to
	info  uint32
	entry uint64
	data  []byte
	at    uint64 // in the file
	addr  uint64 // in memory
}

// Indexes of the sections, in the order in which they lie in the file.
const (
	secNull = iota
	secHash
	secSym
	secStr
	secVersym
	secVerdef
	secText
	secDynamic
	secNames
	sections
)

// Write makes the file of a library for amd64 Linux. code gives the machine
// code of a function. The result depends on its input only.
func Write(l Library, code func(symbol string) []byte) []byte {
	symbols := slices.Clone(l.Symbols)
	slices.SortFunc(symbols, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
	symbols = slices.Compact(symbols)
	versions := versionsOf(l, symbols)

	strs := newNames()
	text, offsets := assemble(symbols, code)
	var parts [sections]part
	parts[secVerdef] = part{
		name: ".gnu.version_d", kind: elf.SHT_GNU_VERDEF, flags: elf.SHF_ALLOC, link: secStr,
		info: uint32(len(versions) + 1), data: verdefs(l.Soname, versions, strs), //nolint:gosec // a handful
	}
	parts[secVersym] = part{
		name: ".gnu.version", kind: elf.SHT_GNU_VERSYM, flags: elf.SHF_ALLOC, link: secSym, entry: 2,
		data: versyms(symbols, versions),
	}
	for _, s := range symbols {
		strs.add(s.Name)
	}
	parts[secHash] = part{name: ".hash", kind: elf.SHT_HASH, flags: elf.SHF_ALLOC, link: secSym, entry: 4, data: hashTable(symbols)}
	parts[secSym] = part{
		name: ".dynsym", kind: elf.SHT_DYNSYM, flags: elf.SHF_ALLOC, link: secStr, info: 1, entry: symSize,
		data: make([]byte, symSize*(len(symbols)+1)), // filled when the code has its address
	}
	parts[secStr] = part{name: ".dynstr", kind: elf.SHT_STRTAB, flags: elf.SHF_ALLOC, data: strs.data.Bytes()}
	parts[secText] = part{name: ".text", kind: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, data: text}
	parts[secDynamic] = part{
		name: ".dynamic", kind: elf.SHT_DYNAMIC, flags: elf.SHF_ALLOC | elf.SHF_WRITE, link: secStr, entry: dynSize,
		data: make([]byte, dynSize*dynamicEntries),
	}
	parts[secNames] = part{name: ".shstrtab", kind: elf.SHT_STRTAB}
	place(&parts)
	fillSymbols(&parts, symbols, offsets, strs)
	fillDynamic(&parts, strs.add(l.Soname), len(versions)+1)
	return file(&parts)
}

// versionsOf is every version that the library has to define.
func versionsOf(l Library, symbols []Symbol) []string {
	versions := slices.Clone(l.Versions)
	for _, s := range symbols {
		versions = append(versions, s.Version)
	}
	slices.Sort(versions)
	versions = slices.Compact(versions)
	return slices.DeleteFunc(versions, func(v string) bool { return v == "" })
}

// assemble puts equal functions in one place: hundreds do the same.
func assemble(symbols []Symbol, code func(string) []byte) (text []byte, offsets []uint64) {
	at := map[string]uint64{}
	for _, s := range symbols {
		body := code(s.Name)
		offset, ok := at[string(body)]
		if !ok {
			for len(text)%16 != 0 {
				text = append(text, 0xcc)
			}
			offset = uint64(len(text))
			at[string(body)] = offset
			text = append(text, body...)
		}
		offsets = append(offsets, offset)
	}
	return text, offsets
}

// sysvHash is the hash function of the System V ABI.
func sysvHash(name string) uint32 {
	var h uint32
	for i := range len(name) {
		h = h<<4 + uint32(name[i])
		g := h & 0xf0000000
		h ^= g >> 24
		h &^= g
	}
	return h
}

// hashTable lets the loader find a symbol by its name.
func hashTable(symbols []Symbol) []byte {
	n := uint32(len(symbols) + 1) //nolint:gosec // thousands
	buckets, chains := make([]uint32, n), make([]uint32, n)
	for i, s := range symbols {
		b := sysvHash(s.Name) % n
		chains[i+1] = buckets[b]
		buckets[b] = uint32(i + 1) //nolint:gosec // thousands
	}
	return pack([]uint32{n, n}, buckets, chains)
}

// verdefs defines the file's own name and each version.
func verdefs(soname string, versions []string, strs *names) []byte {
	var out bytes.Buffer
	for i, name := range append([]string{soname}, versions...) {
		flags, next := uint16(0), uint32(verdefSize+verdauxSize)
		if i == 0 {
			flags = flagBase
		}
		if i == len(versions) {
			next = 0
		}
		//nolint:gosec // a handful of versions
		out.Write(pack([]uint16{1, flags, uint16(i + 1), 1}, []uint32{sysvHash(name), verdefSize, next, strs.add(name), 0}))
	}
	return out.Bytes()
}

// versyms says of each symbol which version it has.
func versyms(symbols []Symbol, versions []string) []byte {
	out := make([]uint16, len(symbols)+1)
	for i, s := range symbols {
		out[i+1] = 1
		if s.Version != "" {
			out[i+1] = uint16(slices.Index(versions, s.Version) + firstVersion) //nolint:gosec // a handful
		}
	}
	return pack(out)
}

// pack lays numbers out as the machine has them.
func pack(lists ...any) []byte {
	var out bytes.Buffer
	for _, l := range lists {
		// Neither a slice of numbers nor a buffer can fail.
		if err := binary.Write(&out, binary.LittleEndian, l); err != nil {
			panic(fmt.Sprintf("stublib: pack %T: %v", l, err))
		}
	}
	return out.Bytes()
}
