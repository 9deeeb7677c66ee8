package servers

import (
	"bytes"
	"io"
	"net/http"
)

// Replayed answers every request with the same bytes, without any server: for
// fuzzing.
func Replayed(body []byte, contentType string) http.RoundTripper {
	return tripper(func(r *http.Request) *http.Response {
		return &http.Response{
			StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: -1,
		}
	})
}

type tripper func(*http.Request) *http.Response

// RoundTrip implements http.RoundTripper.
func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	return t(r), nil
}
