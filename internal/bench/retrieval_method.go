package bench

import (
	"fmt"
	"slices"
	"strings"
)

// What ranks before anything is added or taken away.
const (
	// BaseBM25 ranks by words alone.
	BaseBM25 = "bm25"
	// BaseDense ranks by the model's vectors alone, all of them exact.
	BaseDense = "dense"
	// BaseStatic ranks by the vectors shipped with the product alone.
	BaseStatic = "static"
	// BaseHybrid mixes words and the model's vectors.
	BaseHybrid = "hybrid"
	// BaseStaticHybrid mixes words and the shipped vectors.
	BaseStaticHybrid = "static-hybrid"
	// BaseFirst is the first answer on a project never seen: words and shipped
	// vectors choose candidates, and only those are embedded with the model.
	BaseFirst = "first"
)

var bases = []string{BaseBM25, BaseDense, BaseStatic, BaseHybrid, BaseStaticHybrid, BaseFirst}

// Method is one way to rank, written BASE[:FUSION][-frames][-names][+rerank]: a colon
// names the way of mixing, + adds a part and - takes one away.
type Method struct {
	Base string
	// Fusion is the way of mixing, "" for the product's own.
	Fusion string
	Rerank bool
	// NoFrames leaves out the weight of a traceback's frames in the project,
	// NoNames that of definitions which the report names.
	NoFrames bool
	NoNames  bool
}

// DefaultMethods are those of docs/retrieval.md.
const DefaultMethods = "bm25,dense,static,static-hybrid,hybrid,hybrid-frames,hybrid:paper,first,hybrid+rerank"

// ParseMethods reads a list of methods, each named once.
func ParseMethods(texts []string) ([]Method, error) {
	var out []Method
	for _, text := range texts {
		m, err := ParseMethod(text)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, m) {
			return nil, fmt.Errorf("method %q is named twice", text)
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no method: choose of %s", DefaultMethods)
	}
	return out, nil
}

// ParseMethod reads what String writes.
func ParseMethod(text string) (Method, error) {
	var m Method
	rest := strings.TrimSpace(text)
	for {
		if head, ok := strings.CutSuffix(rest, "+rerank"); ok && !m.Rerank {
			rest, m.Rerank = head, true
		} else if head, ok := strings.CutSuffix(rest, "-frames"); ok && !m.NoFrames {
			rest, m.NoFrames = head, true
		} else if head, ok := strings.CutSuffix(rest, "-names"); ok && !m.NoNames {
			rest, m.NoNames = head, true
		} else {
			break
		}
	}
	m.Base, m.Fusion, _ = strings.Cut(rest, ":")
	if !slices.Contains(bases, m.Base) {
		return m, fmt.Errorf("method %q: it must begin with one of %s", text, strings.Join(bases, ", "))
	}
	if m.Fusion != "" && !m.Mixed() {
		return m, fmt.Errorf("method %q: %s mixes nothing", text, m.Base)
	}
	return m, nil
}

// Mixed says that the method mixes two rankings.
func (m Method) Mixed() bool {
	return m.Base == BaseHybrid || m.Base == BaseStaticHybrid || m.Base == BaseFirst
}

// Model says that the method needs an embedding model.
func (m Method) Model() bool {
	return m.Base == BaseDense || m.Base == BaseHybrid || m.Base == BaseFirst
}

// Lexical says that the method uses words alone: it is the same on every
// machine.
func (m Method) Lexical() bool { return m.Base == BaseBM25 && !m.Rerank }

// String is the method's name.
func (m Method) String() string {
	text := m.Base
	if m.Fusion != "" {
		text += ":" + m.Fusion
	}
	if m.NoFrames {
		text += "-frames"
	}
	if m.NoNames {
		text += "-names"
	}
	if m.Rerank {
		text += "+rerank"
	}
	return text
}
