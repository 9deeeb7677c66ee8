// Package candidate turns a reporter's snippets into an unverified script with
// every edit recorded, and says why somebody else's script may not be believed.
package candidate
