package query_test

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
)

// request has a parameter of each type.
type request struct {
	Name    string   `aws:"Name,required"`
	Count   *int     `aws:"Count"`
	On      *bool    `aws:"On"`
	IDs     []string `aws:"Id"`
	Filters []filter `aws:"Filter"`
	Nested  *nested  `aws:"Nested"`
	pages
}

type filter struct {
	Name   string   `aws:"Name"`
	Values []string `aws:"Value"`
}

type nested struct {
	Value *bool `aws:"Value,required"`
}

type pages struct {
	Size int `aws:"Size"`
}

// unreadable is a form, and what is said of it.
type unreadable struct {
	form, field string
	kind        query.Kind
}

// refuses checks the error for a form.
func (u unreadable) refuses(t *testing.T, err error) {
	t.Helper()
	var invalid *simcloud.Error
	var kind query.Kind
	if !errors.As(err, &invalid) || !errors.As(err, &kind) {
		t.Errorf("%.60s: got %v", u.form, err)
		return
	}
	if invalid.Code != simcloud.Invalid || kind != u.kind || len(invalid.Fields) != 1 || invalid.Fields[0].Field != u.field || invalid.Fields[0].Detail == "" {
		t.Errorf("%.60s: got %v of kind %s, want the field %s of kind %s", u.form, err, kind, u.field, u.kind)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	form, err := query.Parse([]byte("Action=Do+It&Version=2016-11-15&&Filter.1.Value.2=a%26b&Empty=&Bare"))
	if err != nil || form.Action != "Do It" || form.Version != "2016-11-15" || form.Text("Filter.1.Value.2") != "a&b" || form.Text("Filter.1") != "" || form.Len("Filter") != 1 {
		t.Errorf("got %+v, %v", form, err)
	}
	long := strings.Repeat("a", 256)
	var many strings.Builder
	for i := range 20_001 {
		many.WriteString("Id." + strconv.Itoa(i+1) + "=a&")
	}
	for _, u := range []unreadable{
		{"A=%zz", "A", query.Malformed},
		{"%zz=A", "%zz", query.Malformed},
		{"A=%ff", "A", query.Malformed},
		{"=A", "", query.Malformed},
		{long + "=A", long[:100], query.Malformed},
		{"A..B=1", "A..B", query.Malformed},
		{"a.b.c.d.e.f.g.h.i=1", "a.b.c.d.e.f.g.h.i", query.Malformed},
		{"A=1&A=1", "A", query.Repeated},
		{"Action=A&Action=B", "Action", query.Repeated},
		{many.String(), "form", query.Malformed},
	} {
		_, err := query.Parse([]byte(u.form))
		u.refuses(t, err)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	three, off := 3, false
	for _, c := range []struct {
		protocol query.Protocol
		form     string
		want     request
	}{
		{query.EC2Query, "Action=A&Version=1&Name=n", request{Name: "n"}},
		{query.EC2Query, "Name=n&Count=3&On=false&Size=-7&Nested.Value=false", request{Name: "n", Count: &three, On: &off, pages: pages{-7}, Nested: &nested{&off}}},
		{query.EC2Query, "Name=n&Id.2=b&Id.1=a&Id.10=c", request{Name: "n", IDs: []string{"a", "b", "c"}}},
		{query.EC2Query, "Name=n&Id.999999999=b&Id.7=a", request{Name: "n", IDs: []string{"a", "b"}}},
		{query.EC2Query, "Name=n&Id=", request{Name: "n", IDs: []string{}}},
		{query.EC2Query, "Name=n&Filter.1.Name=f&Filter.1.Value.1=v", request{Name: "n", Filters: []filter{{"f", []string{"v"}}}}},
		{query.AWSQuery, "Name=n&Id.member.2=b&Id.member.1=a", request{Name: "n", IDs: []string{"a", "b"}}},
		{query.AWSQuery, "Name=n&Id=", request{Name: "n", IDs: []string{}}},
		{query.AWSQuery, "Name=n&Filter.member.1.Name=f&Filter.member.1.Value.member.1=", request{Name: "n", Filters: []filter{{"f", []string{""}}}}},
	} {
		form, err := query.Parse([]byte(c.form))
		if err != nil {
			t.Fatal(err)
		}
		var got request
		if err := c.protocol.Decode(form, &got); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v; want %+v", c.form, got, err, c.want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		protocol query.Protocol
		unreadable
	}{
		{query.EC2Query, unreadable{"", "Name", query.Missing}},
		{query.EC2Query, unreadable{"Name=", "Name", query.Missing}},
		{query.EC2Query, unreadable{"Name=n&Nested.Value=true&Nested.Other=1", "Nested.Other", query.Unknown}},
		{query.EC2Query, unreadable{"Name=n&Nested=true", "Nested", query.BadValue}},
		{query.EC2Query, unreadable{"Name=n&Moon.1.Phase=full", "Moon.1.Phase", query.Unknown}},
		{query.EC2Query, unreadable{"Name=n&Name.1=m", "Name.1", query.Unknown}},
		{query.EC2Query, unreadable{"Name=n&On=yes", "On", query.BadValue}},
		{query.EC2Query, unreadable{"Name=n&On=", "On", query.BadValue}},
		{query.EC2Query, unreadable{"Name=n&Count=1.5", "Count", query.BadValue}},
		{query.EC2Query, unreadable{"Name=n&Count=99999999999", "Count", query.BadValue}},
		{query.EC2Query, unreadable{"Name=n&Id=i-1", "Id", query.BadValue}},
		{query.EC2Query, unreadable{"Name=n&Id.0=a", "Id.0", query.Unknown}},
		{query.EC2Query, unreadable{"Name=n&Id.01=a", "Id.01", query.Unknown}},
		{query.EC2Query, unreadable{"Name=n&Id.member.1=a", "Id.member.1", query.Unknown}},
		{query.AWSQuery, unreadable{"Name=n&Id.1=a", "Id.1", query.Unknown}},
		{query.AWSQuery, unreadable{"Name=n&Id.member.1=a&Id.1=b", "Id.1", query.Unknown}},
		{query.AWSQuery, unreadable{"Name=n&Id.member=a", "Id.member", query.Unknown}},
	} {
		form, err := query.Parse([]byte(c.form))
		if err != nil {
			t.Fatal(err)
		}
		c.refuses(t, c.protocol.Decode(form, &request{}))
	}
}

// FuzzForm: no form does harm, and what it says can be parsed once it is written as XML.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		"Action=A&Version=1&Name=n&Filter.1.Name=f&Filter.1.Value.2=v&Filter.3.Name=g", "Name=n&Id.member.3=a&Id=", "a.b.c.d.e.f.g.h=1", "Name=%00&On=true&Nested.Value=false", "=&&=.",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		form, err := query.Parse(body)
		if err != nil {
			return
		}
		for _, protocol := range []query.Protocol{query.EC2Query, query.AWSQuery} {
			var got request
			err := protocol.Decode(form, &got)
			var kind query.Kind
			if err != nil && !errors.As(err, &kind) {
				t.Fatalf("%q: %v", body, err)
			}
			elements(t, protocol.Reply("urn:x", "Do", "req-1", got))
			if err != nil {
				elements(t, protocol.Problem("urn:x", string(kind), err.Error(), "req-1", false))
			}
		}
	})
}
