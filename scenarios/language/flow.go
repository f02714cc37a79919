package language

import "strings"

// enterFlow follows a value that is written as {key: value} or [item] into where the cursor is.
func (p *place) enterFlow() {
	rest := strings.TrimLeft(p.text, " ")
	if rest == "" || rest[0] != '{' && rest[0] != '[' {
		return
	}
	scan := flow{place: p}
	for i := 0; i < len(rest); i++ {
		scan.next(rest[i])
	}
	scan.end()
}

// flow reads a value in brackets up to the cursor.
type flow struct {
	*place

	open  []byte // the brackets that are open
	quote byte   // of the text that the cursor is in
	token strings.Builder
	key   string // of the value that is read
}

func (f *flow) next(c byte) {
	switch {
	case f.quote != 0:
		if c == f.quote {
			f.quote = 0
		}
		f.token.WriteByte(c)
	case c == '"' || c == '\'':
		f.quote = c
		f.token.WriteByte(c)
	case (c == '{' || c == '[') && strings.TrimSpace(f.token.String()) == "":
		f.enter(c)
	case (c == '}' || c == ']') && len(f.open) > 0:
		f.leave()
	case c == ',' && len(f.open) > 0:
		f.endValue()
	case c == ' ' && f.inMapping() && f.key == "" && strings.HasSuffix(f.token.String(), ":"):
		f.key = strings.Trim(strings.TrimSuffix(strings.TrimSpace(f.token.String()), ":"), `"'`)
		f.token.Reset()
	default:
		f.token.WriteByte(c)
	}
}

func (f *flow) inMapping() bool { return len(f.open) > 0 && f.open[len(f.open)-1] == '{' }

func (f *flow) enter(c byte) {
	if f.key != "" {
		f.path = append(f.path, f.key)
	} else if len(f.open) > 0 {
		f.path = append(f.path, item)
	}
	if f.open = append(f.open, c); c == '{' {
		f.above = append([]map[string]string{f.keys}, f.above...)
		f.keys = map[string]string{}
	}
	f.key = ""
	f.token.Reset()
}

func (f *flow) leave() {
	if f.inMapping() {
		f.keys, f.above = f.above[0], f.above[1:]
	}
	if f.open = f.open[:len(f.open)-1]; len(f.open) > 0 {
		last := f.path[len(f.path)-1]
		if f.path = f.path[:len(f.path)-1]; last != item {
			f.key = last
		}
	}
	f.token.Reset()
}

func (f *flow) endValue() {
	if f.key != "" {
		f.keys[f.key] = strings.TrimSpace(f.token.String())
	}
	f.key = ""
	f.token.Reset()
}

func (f *flow) end() {
	f.text = strings.TrimLeft(f.token.String(), " ")
	switch {
	case len(f.open) == 0:
	case f.key != "":
		f.path = append(f.path, f.key)
	case f.inMapping():
		f.inKey = true
	default:
		f.path = append(f.path, item)
	}
}
