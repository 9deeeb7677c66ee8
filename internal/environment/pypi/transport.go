package pypi

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"time"
)

// transport trusts the system's certificate authorities (SSL_CERT_FILE and
// SSL_CERT_DIR are honoured by the standard library) and the given files, and
// goes through the proxies of the environment.
func transport(o Options) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = parallel
	t.IdleConnTimeout = 20 * time.Second
	// A listing takes 0.05 s here; a server that says nothing for so long will
	// not do better on the next try, and the user waits for all of them.
	t.ResponseHeaderTimeout = 12 * time.Second
	if len(o.CertFiles) == 0 {
		return t
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, file := range o.CertFiles {
		pem, err := os.ReadFile(file)
		if err != nil || !pool.AppendCertsFromPEM(pem) {
			o.Log.Debug("no certificates read", "file", file, "error", err)
		}
	}
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return t
}
