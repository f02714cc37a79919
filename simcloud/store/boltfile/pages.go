// Package boltfile locks a bbolt file and checks its structure without bbolt, which trusts it.
package boltfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// The layout of a bbolt file, from internal/common (page.go, meta.go, inode.go,
// bucket.go) of go.etcd.io/bbolt v1.5.0. All numbers are in the machine's byte order.
//
//	page     id u64, flags u16, count u16, overflow u32, then its elements
//	meta     magic, version, page size, flags u32; root bucket; freelist, pages, transaction u64; FNV-1a of the former
//	bucket   root page u64 (0: a leaf page follows), sequence u64
//	branch   position from here, key size u32, page u64
//	leaf     flags, position from here, key size, value size u32
//	freelist ids u64; when count is 0xFFFF their number comes first
const (
	pageHeader  = 16
	elementSize = 16
	bucketSize  = 16
	metaSize    = 64

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10

	bucketElement = 1

	metaMagic   = 0xED0CDAED
	metaVersion = 2
	manyFree    = 0xFFFF

	minPage, maxPage = 1 << 10, 16 << 20
	// maxDepth bounds a tree: with two keys a page no file has one so high.
	maxDepth = 64
)

var native = binary.NativeEndian

// Check reads the structure of a bbolt file. It is to be called before bbolt
// opens the file: damage makes bbolt panic, run for ever, or write over pages that
// are in use. Each page below the high water mark must be part of exactly one
// thing, so that pages in a circle end the check.
//
// Both meta pages must be right. bbolt would fall back to the other one, and so
// to the state before the last commit, which was acknowledged. A crash leaves
// no such page: what is written of it is smaller than a disk's sector.
//
// An error is about the file's content, unless it is an *os.PathError.
func Check(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return errors.New("it has 0 bytes")
	}
	p, root, err := newPages(file, info.Size())
	if err != nil {
		return err
	}
	return p.check(root)
}

// pages are the pages of a file.
type pages struct {
	file     io.ReaderAt
	size     int    // of a page
	count    uint64 // the high water mark
	freelist uint64
	used     []bool
	buffers  [][]byte // one a level of a tree, since a page is read while the one above is
}

// newPages reads the meta pages, and returns the root of the newer.
func newPages(file io.ReaderAt, bytes int64) (p *pages, root uint64, err error) {
	first, err := readMeta(file, 0)
	if err != nil {
		return nil, 0, err
	}
	second, err := readMeta(file, int64(first.pageSize))
	if err != nil {
		return nil, 0, err
	}
	newer := first
	if second.transaction > first.transaction {
		newer = second
	}
	if second.pageSize != first.pageSize {
		return nil, 0, errors.New("its meta pages differ in the size of pages")
	}
	p = &pages{file: file, size: int(newer.pageSize), count: newer.pages, freelist: newer.freelist}
	if p.count > uint64(bytes)/uint64(p.size) {
		return nil, 0, fmt.Errorf("it has %d bytes of %d pages of %d bytes", bytes, p.count, p.size)
	}
	p.used = make([]bool, p.count)
	return p, newer.root, nil
}

type meta struct {
	pageSize                           uint32
	root, freelist, pages, transaction uint64
}

func readMeta(file io.ReaderAt, at int64) (m meta, err error) {
	var raw [pageHeader + metaSize]byte
	if _, err := file.ReadAt(raw[:], at); errors.Is(err, io.EOF) {
		return m, errors.New("it ends in its meta pages")
	} else if err != nil {
		return m, err
	}
	fields := raw[pageHeader:]
	sum := fnv.New64a()
	_, _ = sum.Write(fields[:metaSize-8]) // never fails
	switch {
	case native.Uint32(fields) != metaMagic:
		return m, fmt.Errorf("the meta page at byte %d is invalid: the file is not a data file of simcloud, or overwritten", at)
	case native.Uint32(fields[4:]) != metaVersion || native.Uint64(fields[56:]) != sum.Sum64():
		return m, fmt.Errorf("the meta page at byte %d has a wrong checksum", at)
	}
	m = meta{
		pageSize: native.Uint32(fields[8:]), root: native.Uint64(fields[16:]), freelist: native.Uint64(fields[32:]),
		pages: native.Uint64(fields[40:]), transaction: native.Uint64(fields[48:]),
	}
	if m.pageSize < minPage || m.pageSize > maxPage || m.pages < 2 {
		return m, fmt.Errorf("the meta page at byte %d has %d pages of %d bytes", at, m.pages, m.pageSize)
	}
	return m, nil
}

func (p *pages) check(root uint64) error {
	p.used[0], p.used[1] = true, true
	free, err := p.freeIDs()
	if err != nil {
		return err
	}
	if err := p.tree(root, true); err != nil {
		return err
	}
	for _, id := range free {
		if err := p.use(id, 0); err != nil {
			return fmt.Errorf("the freelist: %w", err)
		}
	}
	for id, used := range p.used {
		if !used {
			return fmt.Errorf("page %d is neither used nor free", id)
		}
	}
	return nil
}

// use marks a page, and those that it goes on for, as part of something.
func (p *pages) use(id, overflow uint64) error {
	if id < 2 || id >= p.count || overflow >= p.count-id {
		return fmt.Errorf("page %d, which goes on for %d, is not one of %d", id, overflow, p.count)
	}
	for end := id + overflow; id <= end; id++ {
		if p.used[id] {
			return fmt.Errorf("page %d is used twice", id)
		}
		p.used[id] = true
	}
	return nil
}

// page is a page as it is in the file, with those that it goes on for.
type page struct {
	id    uint64
	flags uint16
	count int
	raw   []byte
}

// read reads a page into the buffer of a level.
func (p *pages) read(id uint64, level int) (page, error) {
	if id < 2 || id >= p.count {
		return page{}, fmt.Errorf("page %d is not one of %d", id, p.count)
	}
	raw := p.buffer(level, p.size)
	if _, err := p.file.ReadAt(raw, int64(id)*int64(p.size)); err != nil {
		return page{}, err
	}
	found, overflow := pageOf(raw), uint64(native.Uint32(raw[12:]))
	if found.id != id {
		return page{}, fmt.Errorf("page %d says that it is page %d", id, found.id)
	}
	if err := p.use(id, overflow); err != nil || overflow == 0 {
		return found, err
	}
	found.raw = p.buffer(level, p.size*int(overflow+1))
	_, err := p.file.ReadAt(found.raw, int64(id)*int64(p.size))
	return found, err
}

func (p *pages) buffer(level, size int) []byte {
	for len(p.buffers) <= level {
		p.buffers = append(p.buffers, nil)
	}
	if len(p.buffers[level]) < size {
		p.buffers[level] = make([]byte, size)
	}
	return p.buffers[level][:size]
}

func pageOf(raw []byte) page {
	return page{id: native.Uint64(raw), flags: native.Uint16(raw[8:]), count: int(native.Uint16(raw[10:])), raw: raw}
}

// freeIDs reads the freelist.
func (p *pages) freeIDs() ([]uint64, error) {
	list, err := p.read(p.freelist, 0)
	if err != nil {
		return nil, fmt.Errorf("the freelist: %w", err)
	}
	ids, count := list.raw[pageHeader:], uint64(list.count)
	if list.flags != freelistPage {
		return nil, fmt.Errorf("page %d is no freelist", list.id)
	}
	if count == manyFree {
		count, ids = native.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids)/8) {
		return nil, fmt.Errorf("the freelist says that it has %d pages", count)
	}
	free := make([]uint64, count)
	for n := range free {
		free[n] = native.Uint64(ids[8*n:])
	}
	return free, nil
}

// tree checks the pages of a bucket. That of the buckets themselves has
// nothing else, and the others have none: this program does not nest them.
func (p *pages) tree(root uint64, ofBuckets bool) error {
	level := 0
	if !ofBuckets {
		level = maxDepth // its buffers are others than those of the tree that it is in
	}
	return p.subtree(root, level, bounds{ofBuckets: ofBuckets})
}

// bounds is what a page has to keep to.
type bounds struct {
	ofBuckets, inline bool
	first, end        []byte // its first key, and that of the next page; nil: any
	depth             int
}

func (p *pages) subtree(id uint64, level int, within bounds) error {
	if within.depth == maxDepth {
		return fmt.Errorf("page %d is too deep in its tree", id)
	}
	found, err := p.read(id, level+within.depth)
	if err != nil {
		return err
	}
	switch found.flags {
	case leafPage:
		return p.leaf(found, within)
	case branchPage:
		return p.branch(found, level, within)
	default:
		return fmt.Errorf("page %d is of the unknown type %#x", id, found.flags)
	}
}

func (p *pages) branch(found page, level int, within bounds) error {
	elements, err := found.elements(within)
	if err != nil {
		return err
	}
	for n, e := range elements {
		below := bounds{ofBuckets: within.ofBuckets, first: e.key, end: within.end, depth: within.depth + 1}
		if n+1 < len(elements) {
			below.end = elements[n+1].key
		}
		if err := p.subtree(e.child, level, below); err != nil {
			return err
		}
	}
	return nil
}

func (p *pages) leaf(found page, within bounds) error {
	elements, err := found.elements(within)
	if err != nil {
		return err
	}
	for _, e := range elements {
		if isBucket := e.flags == bucketElement; e.flags > bucketElement || isBucket != within.ofBuckets {
			return fmt.Errorf("page %d has a key of the unknown type %#x", found.id, e.flags)
		}
		if !within.ofBuckets {
			continue
		}
		if err := p.bucket(e.value); err != nil {
			return fmt.Errorf("the bucket %q: %w", e.key, err)
		}
	}
	return nil
}

// bucket checks a bucket, whose pages are its own or in its value.
func (p *pages) bucket(value []byte) error {
	if len(value) < bucketSize {
		return errors.New("it is cut off")
	}
	if root := native.Uint64(value); root != 0 {
		return p.tree(root, false)
	}
	if value = value[bucketSize:]; len(value) < pageHeader {
		return errors.New("it is cut off")
	}
	inline := pageOf(value)
	if inline.id != 0 || inline.flags != leafPage || native.Uint32(value[12:]) != 0 {
		return errors.New("its page is invalid")
	}
	if inline.count == 0 && len(value) > pageHeader {
		return errors.New("it has no keys, and room for some")
	}
	return p.leaf(inline, bounds{inline: true})
}

// element is an element of a branch or a leaf.
type element struct {
	flags      uint32
	key, value []byte
	child      uint64
}

// elements reads what is in a page. The keys and values follow each other
// without a gap, so that a wrong size or number does not go unseen.
func (p page) elements(within bounds) ([]element, error) {
	if p.count == 0 && !within.inline { // bbolt keeps an empty bucket in the page above
		return nil, fmt.Errorf("page %d is empty", p.id)
	}
	next := uint64(pageHeader + p.count*elementSize)
	if next > uint64(len(p.raw)) {
		return nil, fmt.Errorf("page %d has %d keys, which is too many", p.id, p.count)
	}
	all := make([]element, p.count)
	for n := range all {
		at := pageHeader + n*elementSize
		e, position, keySize, valueSize := readElement(p.raw[at:], p.flags)
		middle := next + keySize
		end := middle + valueSize
		if uint64(at)+position != next || keySize == 0 || end > uint64(len(p.raw)) {
			return nil, fmt.Errorf("key %d of page %d is out of place", n, p.id)
		}
		e.key, e.value, next = p.raw[next:middle:middle], p.raw[middle:end:end], end
		if n > 0 && bytes.Compare(all[n-1].key, e.key) >= 0 {
			return nil, fmt.Errorf("key %d of page %d is not behind the one before", n, p.id)
		}
		all[n] = e
	}
	return all, p.within(all, within)
}

// readElement reads the numbers of an element.
func readElement(raw []byte, kind uint16) (e element, position, keySize, valueSize uint64) {
	a, b, c, d := native.Uint32(raw), native.Uint32(raw[4:]), native.Uint32(raw[8:]), native.Uint32(raw[12:])
	if kind == branchPage {
		return element{child: native.Uint64(raw[8:])}, uint64(a), uint64(b), 0
	}
	return element{flags: a}, uint64(b), uint64(c), uint64(d)
}

// within checks that the keys are those that the page above promises. bbolt
// finds the page there by its first key when it writes.
func (p page) within(all []element, within bounds) error {
	if len(all) == 0 {
		return nil
	}
	if within.first != nil && !bytes.Equal(all[0].key, within.first) {
		return fmt.Errorf("page %d does not begin with the key that leads to it", p.id)
	}
	if within.end != nil && bytes.Compare(all[len(all)-1].key, within.end) >= 0 {
		return fmt.Errorf("page %d has keys of the page behind it", p.id)
	}
	return nil
}
