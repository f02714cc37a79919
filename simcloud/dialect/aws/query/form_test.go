package query_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

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
		{"F.1.Name=a&F.2.Name=b&F.1.Name=c", "F.1.Name", query.Repeated},
		{"F.1=&F.1.Name=b&F.1=", "F.1", query.Repeated},
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
		{query.EC2Query, "Name=n&Filter.7.Name=g&Filter.3.Value.5=w&Filter.3.Value.2=v", request{Name: "n", Filters: []filter{{"", []string{"v", "w"}}, {"g", nil}}}},
		{query.AWSQuery, "Name=n&Filter.member.3.Name=f&Filter.member.3.Value.member.2=v", request{Name: "n", Filters: []filter{{"f", []string{"v"}}}}},
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
		{query.EC2Query, unreadable{"Name=n&Id.-1=a", "Id.-1", query.Unknown}},
		{query.EC2Query, unreadable{"Name=n&Id.99999999999999999999=a", "Id.99999999999999999999", query.Unknown}},
		{query.EC2Query, unreadable{"Name=n&Filter.1=f&Filter.1.Name=g", "Filter.1", query.BadValue}},
		{query.EC2Query, unreadable{"Name=n&a.b.c.d.e.f.g.h=1", "a.b.c.d.e.f.g.h", query.Unknown}},
		{query.EC2Query, unreadable{"Name=n&Id.1.2.3.4.5.6.7=1", "Id.1.2.3.4.5.6.7", query.Unknown}},
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

// TestLargeForms: the largest bodies that the edge lets through are read or refused without much memory.
func TestLargeForms(t *testing.T) {
	const body, most = 1 << 20, 24 << 20
	fill := func(field func(n int) string) string {
		var b strings.Builder
		for n := 1; ; n++ {
			if f := field(n); b.Len()+len(f) <= body {
				b.WriteString(f)
			} else {
				return b.String()
			}
		}
	}
	values := strings.Repeat("v", 40)
	for name, c := range map[string]struct {
		form string
		want bool
	}{
		"one text":     {"Name=" + strings.Repeat("x", body-5), true},
		"escaped text": {"Name=" + strings.Repeat("%41", (body-5)/3), true},
		"separators":   {"Name=n" + strings.Repeat("&", body-6), true},
		"filters":      {"Name=n" + fill(func(n int) string { return fmt.Sprintf("&Filter.%d.Value.%d=%s", n%50+1, n, values) }), true},
		"structures": {"Name=n" + fill(func(n int) string {
			return fmt.Sprintf("&Filter.%d.Name=%[1]d&Filter.%[1]d.Value.1=%s", n, values+values)
		}), true},
		"short fields":   {"Name=n" + fill(func(n int) string { return fmt.Sprintf("&Id.%d=", n) }), false},
		"deep names":     {"Name=n" + fill(func(n int) string { return fmt.Sprintf("&%d.a.b.c.d.e.f.g=", n) }), false},
		"too deep names": {"Name=n" + fill(func(n int) string { return "&Id.1" + strings.Repeat(".1", n%100+9) + "=" }), false},
		"long names":     {"Name=n" + fill(func(n int) string { return fmt.Sprintf("&%0300d=", n) }), false},
		"no separator":   {strings.Repeat("a", body), false},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		form, err := query.Parse([]byte(c.form))
		if err == nil {
			err = query.EC2Query.Decode(form, &request{})
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; (err == nil) != c.want || used > most {
			t.Errorf("%s: %d bytes took %d, want at most %d; %v", name, len(c.form), used, most, err)
		}
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

// FuzzFields: a structure that is written as a form, its fields in any order and its lists with gaps, is read as it was. A field that is there
// twice, and one that the structure does not have, is refused by its name.
func FuzzFields(f *testing.F) {
	f.Add(int64(1), "n", "a&b=c", uint8(3), uint8(2))
	f.Add(int64(2), "%", "", uint8(0), uint8(9))
	f.Fuzz(func(t *testing.T, seed int64, name, value string, ids, filters uint8) {
		if name == "" || !utf8.ValidString(name) || !utf8.ValidString(value) {
			return
		}
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		want := request{Name: name, Nested: &nested{Value: new(random.IntN(2) == 0)}, pages: pages{random.IntN(100) - 50}}
		for i := range ids % 20 {
			want.IDs = append(want.IDs, fmt.Sprint(value, i))
		}
		for i := range filters % 10 {
			want.Filters = append(want.Filters, filter{fmt.Sprint(name, i), []string{value, name}})
		}
		for _, protocol := range []query.Protocol{query.EC2Query, query.AWSQuery} {
			fields := fieldsOf(want, protocol == query.AWSQuery, random)
			random.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
			var got request
			if err := read(protocol, fields, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: got %+v, %v; want %+v", fields, got, err, want)
			}
			twice, _, _ := strings.Cut(fields[random.IntN(len(fields))], "=")
			unreadable{"twice", twice, query.Repeated}.refuses(t, read(protocol, append(fields, twice+"=1"), &got))
			unreadable{"unknown", twice[:1] + "x", query.Unknown}.refuses(t, read(protocol, append(fields, twice[:1]+"x=1"), &got))
		}
	})
}

// read reads a form of these fields.
func read(protocol query.Protocol, fields []string, into *request) error {
	form, err := query.Parse([]byte(strings.Join(fields, "&")))
	if err != nil {
		return err
	}
	return protocol.Decode(form, into)
}

// fieldsOf writes a request as the fields of a form. The numbers of lists rise by 1 to 3.
func fieldsOf(r request, member bool, random *rand.Rand) []string {
	fields := []string{"Name=" + url.QueryEscape(r.Name), fmt.Sprint("Nested.Value=", *r.Nested.Value), fmt.Sprint("Size=", r.Size)}
	list := func(name string, length int, add func(element string, i int)) {
		if member {
			name += ".member"
		}
		for i, n := 0, 0; i < length; i++ {
			n += 1 + random.IntN(3)
			add(fmt.Sprintf("%s.%d", name, n), i)
		}
	}
	list("Id", len(r.IDs), func(element string, i int) { fields = append(fields, element+"="+url.QueryEscape(r.IDs[i])) })
	list("Filter", len(r.Filters), func(element string, i int) {
		fields = append(fields, element+".Name="+url.QueryEscape(r.Filters[i].Name))
		list(element+".Value", len(r.Filters[i].Values), func(element string, j int) {
			fields = append(fields, element+"="+url.QueryEscape(r.Filters[i].Values[j]))
		})
	})
	return fields
}
