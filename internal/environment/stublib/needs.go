package stublib

import (
	"cmp"
	"context"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// cudaLibrary is a library of the CUDA toolkit, as its packages on the index
// bring it. Those of the driver (libcuda, libnvidia-ml) are never in a package
// and must stay absent: their absence is how programs know that there is no
// GPU.
var cudaLibrary = regexp.MustCompile(`^lib(?:cudart|cublas|cublasLt|cudnn\w*|cufft\w*|cufile\w*|curand|cusolver\w*|cusparse|cusparseLt|cupti|nccl|nvToolsExt|nvrtc\w*|nvrtc-builtins|nvJitLink|nvshmem\w*|nvtx\w*)\.so\.[0-9.]+$`)

// owners says which library a function without a version is looked for in, by
// the beginning of its name, longer beginnings first.
var owners = []struct{ prefix, library string }{
	{"cusparseLt", "libcusparseLt"}, {"cusparse", "libcusparse"}, {"cublasLt", "libcublasLt"}, {"cublas", "libcublas"},
	{"cudnn", "libcudnn"}, {"cufft", "libcufft"}, {"cuFile", "libcufile"}, {"curand", "libcurand"}, {"cusolver", "libcusolver"},
	{"cupti", "libcupti"}, {"nccl", "libnccl"}, {"pnccl", "libnccl"}, {"nvtx", "libnvToolsExt"}, {"nvrtc", "libnvrtc"},
	{"nvJitLink", "libnvJitLink"}, {"__nvJitLink", "libnvJitLink"}, {"nvshmem", "libnvshmem"},
	{"__cuda", "libcudart"}, {"cuda", "libcudart"},
}

// object is one shared library that is installed.
type object struct {
	path   string
	needed []string
}

// Needs reads what the shared libraries below root ask their loader for and do
// not bring themselves: one Library for each missing library of CUDA. Nothing
// is executed. Files that are no ELF files of this machine are passed over.
func Needs(ctx context.Context, root string) ([]Library, error) {
	objects, present, err := objects(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("look for shared libraries: %w", err)
	}
	missing := map[string]*Library{}
	for _, o := range objects {
		for _, so := range o.needed {
			if !present[so] && cudaLibrary.MatchString(so) && missing[so] == nil {
				missing[so] = &Library{Soname: so}
			}
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	defined, loose := map[string]bool{}, map[string][]string{}
	for _, o := range objects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(o.needed, func(so string) bool { return missing[so] != nil }) {
			continue
		}
		if err := o.imports(missing, defined, loose); err != nil {
			return nil, fmt.Errorf("read %s: %w", filepath.Base(o.path), err)
		}
	}
	for symbol, where := range loose {
		if !defined[symbol] {
			l := missing[slices.Min(where)] // one is enough, and always the same
			l.Symbols = append(l.Symbols, Symbol{Name: symbol})
		}
	}
	out := make([]Library, 0, len(missing))
	for _, l := range missing {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Library) int { return cmp.Compare(a.Soname, b.Soname) })
	return out, nil
}

// maxObjects bounds the shared libraries that are looked at, a guess: a full
// environment of torch, scipy and their like has about 700.
const maxObjects = 20000

func objects(ctx context.Context, root string) (list []object, present map[string]bool, err error) {
	present = map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if !d.Type().IsRegular() || !strings.HasSuffix(name, ".so") && !strings.Contains(name, ".so.") {
			return ctx.Err()
		}
		present[name] = true
		if len(list) >= maxObjects {
			return fmt.Errorf("more than %d shared libraries", maxObjects)
		}
		if needed, ok := neededBy(path); ok {
			list = append(list, object{path, needed})
		}
		return nil
	})
	return list, present, err
}

// open gives up on what is no ELF file: an index may serve anything under the
// name of a library, and the reader panics on some of it.
func open(path string, use func(*elf.File) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged ELF file: %v", r)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	x, err := elf.NewFile(f)
	if err != nil {
		return err
	}
	return use(x)
}

func neededBy(path string) (needed []string, ok bool) {
	err := open(path, func(x *elf.File) (err error) {
		if x.Class != elf.ELFCLASS64 || x.Machine != elf.EM_X86_64 {
			return nil
		}
		ok = true
		needed, err = x.ImportedLibraries()
		return err
	})
	return needed, ok && err == nil
}

// imports adds what one object wants of the missing libraries: functions with a
// version say where they belong, others go to loose with all that the object
// needs.
func (o object) imports(missing map[string]*Library, defined map[string]bool, loose map[string][]string) error {
	return open(o.path, func(x *elf.File) error {
		needs, err := x.DynamicVersionNeeds()
		if err != nil {
			return err
		}
		for _, n := range needs {
			if l := missing[n.Name]; l != nil {
				for _, v := range n.Needs {
					l.Versions = append(l.Versions, v.Dep)
				}
			}
		}
		symbols, err := x.DynamicSymbols()
		if err != nil {
			return err
		}
		for _, s := range symbols {
			switch l := missing[s.Library]; {
			case s.Section != elf.SHN_UNDEF:
				if owner(s.Name, nil) != "" {
					defined[s.Name] = true
				}
			case l != nil:
				l.Symbols = append(l.Symbols, Symbol{s.Name, s.Version})
			case s.Version == "":
				// A stub must not answer in the place of a library that is here.
				if at := owner(s.Name, o.needed); at != "" && missing[at] != nil {
					loose[s.Name] = append(loose[s.Name], at)
				}
			}
		}
		return nil
	})
}

// owner chooses among the libraries that an importing object needs; without
// any it only says whether the name is one of CUDA's.
func owner(symbol string, candidates []string) string {
	for _, o := range owners {
		if !strings.HasPrefix(symbol, o.prefix) {
			continue
		}
		for _, so := range candidates {
			if strings.HasPrefix(so, o.library+".so") {
				return so
			}
		}
		// Another one of CUDA's that the object loads: where it is found is all
		// the same to the loader.
		for _, so := range candidates {
			if cudaLibrary.MatchString(so) {
				return so
			}
		}
		return o.library
	}
	return ""
}
