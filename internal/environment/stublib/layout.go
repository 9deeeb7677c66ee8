package stublib

import (
	"debug/elf"
)

// segments: what is read and executed, what the loader writes to (it turns the
// offsets of the dynamic section into addresses), where that section is, and a
// stack that is not executable.
const segments = 4

// dynamicEntries is how many entries fillDynamic writes.
const dynamicEntries = 10

// place gives each section its offset and address. All that is loaded for
// reading lies at its own offset; the dynamic section lies one page further, so
// that it has a page of its own to be written to.
func place(parts *[sections]part) {
	strs := newNames()
	at := uint64(ehdrSize + segments*phdrSize)
	for i := secHash; i < sections; i++ {
		p := &parts[i]
		if i == secNames {
			for j := secHash; j < sections; j++ {
				strs.add(parts[j].name)
			}
			p.data = strs.data.Bytes()
		}
		at = (at + 15) &^ 15
		p.at = at
		switch i {
		case secNames: // not loaded
		case secDynamic:
			p.addr = at + align
		default:
			p.addr = at
		}
		at += uint64(len(p.data))
	}
}

func fillSymbols(parts *[sections]part, symbols []Symbol, offsets []uint64, strs *names) {
	var all []byte
	all = append(all, make([]byte, symSize)...)
	for i, s := range symbols {
		info := byte(elf.STB_GLOBAL)<<4 | byte(elf.STT_FUNC)
		all = append(all, pack(elf.Sym64{Name: strs.add(s.Name), Info: info, Shndx: secText, Value: parts[secText].addr + offsets[i]})...)
	}
	parts[secSym].data = all
}

func fillDynamic(parts *[sections]part, soname uint32, versions int) {
	entries := []elf.Dyn64{
		{Tag: int64(elf.DT_SONAME), Val: uint64(soname)},
		{Tag: int64(elf.DT_HASH), Val: parts[secHash].addr},
		{Tag: int64(elf.DT_STRTAB), Val: parts[secStr].addr},
		{Tag: int64(elf.DT_SYMTAB), Val: parts[secSym].addr},
		{Tag: int64(elf.DT_STRSZ), Val: uint64(len(parts[secStr].data))},
		{Tag: int64(elf.DT_SYMENT), Val: symSize},
		{Tag: int64(elf.DT_VERSYM), Val: parts[secVersym].addr},
		{Tag: int64(elf.DT_VERDEF), Val: parts[secVerdef].addr},
		{Tag: int64(elf.DT_VERDEFNUM), Val: uint64(versions)}, //nolint:gosec // a handful
		{Tag: int64(elf.DT_NULL)},
	}
	parts[secDynamic].data = pack(entries)
}

// file writes headers and sections one after the other.
func file(parts *[sections]part) []byte {
	table := (parts[secNames].at + uint64(len(parts[secNames].data)) + 15) &^ 15
	out := make([]byte, table+sections*shdrSize)
	head := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Phoff: ehdrSize, Shoff: table, Ehsize: ehdrSize, Phentsize: phdrSize, Phnum: segments,
		Shentsize: shdrSize, Shnum: sections, Shstrndx: secNames,
	}
	copy(head.Ident[:], []byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)})
	copy(out, pack(head, programs(parts)))
	strs := newNames()
	headers := make([]elf.Section64, sections)
	for i := secHash; i < sections; i++ {
		p := parts[i]
		copy(out[p.at:], p.data)
		headers[i] = elf.Section64{
			Name: strs.add(p.name), Type: uint32(p.kind), Flags: uint64(p.flags), Addr: p.addr, Off: p.at,
			Size: uint64(len(p.data)), Link: p.link, Info: p.info, Addralign: 16, Entsize: p.entry,
		}
	}
	copy(out[table:], pack(headers))
	return out
}

// programs are the segments that the loader maps.
func programs(parts *[sections]part) []elf.Prog64 {
	text, dyn := parts[secText], parts[secDynamic]
	readable := text.at + uint64(len(text.data))
	size := uint64(len(dyn.data))
	return []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Filesz: readable, Memsz: readable, Align: align},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W), Off: dyn.at, Vaddr: dyn.addr, Paddr: dyn.addr, Filesz: size, Memsz: size, Align: align},
		{Type: uint32(elf.PT_DYNAMIC), Flags: uint32(elf.PF_R | elf.PF_W), Off: dyn.at, Vaddr: dyn.addr, Paddr: dyn.addr, Filesz: size, Memsz: size, Align: 8},
		{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W), Align: 16},
	}
}
