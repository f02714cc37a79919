package openapi

import "encoding/json"

// Version is the version of OpenAPI that documents follow.
const Version = "3.1.1"

// Document describes an interface. Its types have what this package says of
// one, under the names that OpenAPI gives it.
type Document struct {
	OpenAPI    string                `json:"openapi"`
	Info       Info                  `json:"info"`
	Servers    []Server              `json:"servers"`
	Security   []map[string][]string `json:"security"`
	Tags       []Tag                 `json:"tags"`
	Paths      map[string]PathItem   `json:"paths"`
	Components Components            `json:"components"`
	// Docs is where people read the same.
	Docs *ExternalDocs `json:"externalDocs,omitempty"`
}

// Info says what is described.
type Info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

// Server is where the interface is.
type Server struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// ExternalDocs is where more is to read.
type ExternalDocs struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// PathItem has the operations of a path by their methods, in small letters.
type PathItem map[string]*Operation

// Operation is one method of one path.
type Operation struct {
	ID          string              `json:"operationId"`
	Tags        []string            `json:"tags"`
	Summary     string              `json:"summary"`
	Description string              `json:"description,omitempty"`
	Parameters  []*Param            `json:"parameters,omitempty"`
	Body        *Body               `json:"requestBody,omitempty"`
	Responses   map[string]Response `json:"responses"`
}

// Param is a parameter, or the name of one in the components.
type Param struct {
	Ref         string  `json:"$ref,omitempty"`
	Name        string  `json:"name,omitempty"`
	In          string  `json:"in,omitempty"`
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Schema      *Schema `json:"schema,omitempty"`
}

// Body is the body of a request.
type Body struct {
	Required bool             `json:"required"`
	Content  map[string]Media `json:"content"`
}

// Media is what a body of one media type holds.
type Media struct {
	Schema *Schema `json:"schema"`
	// Example is a body of recorded traffic; nil for a stream.
	Example json.RawMessage `json:"example,omitempty"`
	// Event is the schema of the data of each event of a stream.
	Event *Schema `json:"x-event-data,omitempty"`
}

// Response is an answer, or the name of one in the components.
type Response struct {
	Ref         string            `json:"$ref,omitempty"`
	Description string            `json:"description,omitempty"`
	Headers     map[string]Header `json:"headers,omitempty"`
	Content     map[string]Media  `json:"content,omitempty"`
}

// Header is a header of an answer, or the name of one in the components.
type Header struct {
	Ref         string  `json:"$ref,omitempty"`
	Description string  `json:"description,omitempty"`
	Schema      *Schema `json:"schema,omitempty"`
}

// Components are what the rest refers to by name.
type Components struct {
	Schemas         map[string]*Schema        `json:"schemas"`
	Responses       map[string]Response       `json:"responses"`
	Parameters      map[string]*Param         `json:"parameters"`
	Headers         map[string]Header         `json:"headers"`
	SecuritySchemes map[string]SecurityScheme `json:"securitySchemes"`
}

// SecurityScheme is how callers say who they are.
type SecurityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}
