/** What a header can carry. The runtime's own error about anything else would quote the token. */
export const HEADER_TOKEN = /^[\x21-\x7e]+$/;
