package native

import (
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/sandboxtest"
)

func TestConformance(t *testing.T) {
	sandboxtest.Conformance(t, func(*testing.T) sandbox.Sandbox { return New() })
}
