package outbound

import (
	"io"
	"sync"
)

// fileBody is a file that is sent from its position at the beginning, with each attempt.
type fileBody struct {
	file        io.ReadSeeker
	start, size int64
}

func newFileBody(file io.ReadSeeker) (*fileBody, error) {
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	end, err := file.Seek(0, io.SeekEnd)
	return &fileBody{file: file, start: start, size: end - start}, err
}

func (body *fileBody) open() (io.ReadCloser, error) {
	_, err := body.file.Seek(body.start, io.SeekStart)
	return &openBody{file: body.file}, err
}

// openBody is the body of one attempt. The transport may go on reading after an early response: from its end on, the
// file belongs to the next attempt, or to the caller.
type openBody struct {
	mutex sync.Mutex
	file  io.Reader
}

func (body *openBody) Read(into []byte) (int, error) {
	body.mutex.Lock()
	defer body.mutex.Unlock()
	if body.file == nil {
		return 0, io.ErrClosedPipe
	}
	return body.file.Read(into)
}

func (body *openBody) Close() error {
	body.mutex.Lock()
	defer body.mutex.Unlock()
	body.file = nil
	return nil
}
