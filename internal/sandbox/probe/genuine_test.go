package probe

import "testing"

// checkMadeUp: a function that only says that it is a library's is known from
// one that is, also where its name and first line are right.
func checkMadeUp(t *testing.T, o observed) {
	if len(o.rec.Exceptions) != 1 || len(o.rec.Exceptions[0].Chain) < 2 {
		t.Fatalf("exceptions: %+v", o.rec.Exceptions)
	}
	e := o.rec.Exceptions[0]
	for i, want := range []bool{true, false, true} {
		frames := e.Frames
		if i > 0 {
			frames = e.Chain[i-1].Frames
		}
		if last := frames[len(frames)-1]; last.Module == "__main__" || last.Altered != want {
			t.Errorf("frame %d: %+v, want altered %v", i, last, want)
		}
	}
}
