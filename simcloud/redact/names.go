package redact

// words are what the names of secret fields contain, without case and punctuation, by their first letters.
var words = ['z' + 1][]string{
	'a': {"authorization", "accesskey", "apikey"},
	'b': {"bearer"},
	'c': {"credential", "clientkey"},
	'k': {"kubeconfig"},
	'p': {"password", "passwd", "passphrase", "payload", "privatekey", "pwd"},
	's': {"secret", "signature"},
	't': {"token"},
	'u': {"userdata"},
}

// harmless are names that contain one of the words and are no secrets: tokens of pages
// and of repeated requests, which are read to understand a call, the cloud's list of its
// tokens, in which the secret has a field of its own, and what OpenStack's key manager tells of a secret.
var harmless = map[string]bool{
	"pagetoken": true, "nextpagetoken": true, "nexttoken": true, "clienttoken": true, "tokens": true,
	"secrettype": true, "secretref": true, "secretrefs": true, "payloadcontenttype": true, "payloadcontentencoding": true,
}

// longest is how much of a name is looked at, in bytes.
const longest = 256

// sensitive reports whether a field of that name holds a secret. A name that is too long to tell does.
func sensitive(name []byte) bool {
	var buffer [longest]byte
	plain := buffer[:0]
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			if len(plain) == longest {
				return true
			}
			plain = append(plain, c)
		}
	}
	return contains(plain) && !harmless[string(plain)]
}

func contains(plain []byte) bool {
	for i, c := range plain {
		for _, word := range words[c] {
			if len(plain)-i >= len(word) && string(plain[i:i+len(word)]) == word {
				return true
			}
		}
	}
	return false
}

// labels reports whether a field's value is the name of another one, as in
// {"key": "password", "value": "x"}, and labelled whether a field has the value to such a name.
func labels(name string) bool {
	switch name {
	case "key", "Key", "name", "Name", "field":
		return true
	}
	return false
}

func labelled(name string) bool {
	switch name {
	case "value", "Value", "detail", "message", "Message":
		return true
	}
	return false
}
