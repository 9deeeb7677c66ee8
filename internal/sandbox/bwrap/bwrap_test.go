package bwrap

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	Trampoline()
	os.Exit(m.Run())
}
