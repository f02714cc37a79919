package query

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// header is how each answer begins.
const header = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// Encoded is the content of an answer as it is written.
type Encoded []byte

// Encode writes the content of an answer once for many answers.
func (p Protocol) Encode(content any) Encoded {
	b := writer{item: p.item}
	b.content(content)
	return b.Bytes()
}

// content writes a structure, or what one was encoded as.
func (b *writer) content(content any) {
	if encoded, ok := content.(Encoded); ok {
		b.Write(encoded)
		return
	}
	b.structure(reflect.ValueOf(content))
}

// Reply is the answer to an action that has succeeded. The content is a structure, or Encoded.
func (p Protocol) Reply(namespace, action, requestID string, content any) []byte {
	b := writer{item: p.item}
	b.WriteString(header)
	root := action + "Response"
	b.WriteString("<" + root + ` xmlns="` + namespace + `">`)
	if p.nested {
		b.open(action + "Result")
		b.content(content)
		b.close(action + "Result")
		b.open("ResponseMetadata")
		b.text("RequestId", requestID)
		b.close("ResponseMetadata")
	} else {
		b.text("requestId", requestID)
		b.content(content)
	}
	b.close(root)
	return b.Bytes()
}

// Problem is the answer to an action that has failed. The sender is at fault unless the service is.
func (p Protocol) Problem(namespace, code, message, requestID string, ofService bool) []byte {
	b := writer{}
	b.WriteString(header)
	if !p.nested {
		b.WriteString("<Response><Errors><Error>")
		b.text("Code", code)
		b.text("Message", message)
		b.WriteString("</Error></Errors>")
		b.text("RequestID", requestID)
		b.WriteString("</Response>")
		return b.Bytes()
	}
	fault := "Sender"
	if ofService {
		fault = "Receiver"
	}
	b.WriteString(`<ErrorResponse xmlns="` + namespace + `"><Error>`)
	b.text("Type", fault)
	b.text("Code", code)
	b.text("Message", message)
	b.WriteString("</Error>")
	b.text("RequestId", requestID)
	b.WriteString("</ErrorResponse>")
	return b.Bytes()
}

// writer writes XML.
type writer struct {
	bytes.Buffer
	item string
}

func (b *writer) open(name string)  { b.WriteString("<" + name + ">") }
func (b *writer) close(name string) { b.WriteString("</" + name + ">") }

// text writes an element that has a text.
func (b *writer) text(name, text string) {
	b.open(name)
	_ = xml.EscapeText(&b.Buffer, []byte(text)) // a buffer takes all
	b.close(name)
}

// structure writes the fields of a structure that have a tag.
func (b *writer) structure(v reflect.Value) {
	for _, f := range fieldsOf(v) {
		b.value(f.tag, f.value)
	}
}

// timeFormat is how AWS writes times.
const timeFormat = "2006-01-02T15:04:05.000Z"

// value writes a field. Empty texts, times and pointers are left out: an empty number or boolean cannot be
// read, and an empty text is not one that is absent.
func (b *writer) value(t tag, v reflect.Value) {
	switch {
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			b.value(t, v.Elem())
		}
	case v.Type() == reflect.TypeFor[time.Time]():
		if at := v.Interface().(time.Time); !at.IsZero() { //nolint:errcheck // it is of the type
			b.text(t.name, at.UTC().Format(timeFormat))
		}
	case v.Kind() == reflect.Struct:
		b.open(t.name)
		b.structure(v)
		b.close(t.name)
	case v.Kind() == reflect.Slice:
		b.list(t, v)
	case v.Kind() == reflect.String:
		if v.Len() > 0 {
			b.text(t.name, v.String())
		}
	case v.Kind() == reflect.Bool:
		b.text(t.name, strconv.FormatBool(v.Bool()))
	case v.Kind() == reflect.Int:
		b.text(t.name, strconv.FormatInt(v.Int(), 10))
	default:
		panic(fmt.Sprintf("query: no answer has a %s, as %s is", v.Type(), t.name))
	}
}

// list writes a list, also one that is empty.
func (b *writer) list(t tag, v reflect.Value) {
	if v.Len() == 0 && t.omitempty {
		return
	}
	b.open(t.name)
	for i := range v.Len() {
		if item := v.Index(i); item.Kind() == reflect.String {
			b.text(b.item, item.String())
		} else {
			b.value(tag{name: b.item}, item)
		}
	}
	b.close(t.name)
}
