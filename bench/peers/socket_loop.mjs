/**
 * The limit of all that Deno can send: hand-written HTTP/1.1 over connections that are kept, one message in flight on
 * each. Writes nothing down. Usage: socket_loop.mjs URL COUNT IN_FLIGHT
 */
import { MESSAGE_HEADERS, messageBody, MESSAGES_PATH } from "./send_message.mjs";

const [url, count, inFlight] = Deno.args;
const { hostname, port, host } = new URL(url);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const head = [
  `POST ${MESSAGES_PATH} HTTP/1.1`,
  `host: ${host}`,
  ...Object.entries(MESSAGE_HEADERS).map(([name, value]) => `${name}: ${value}`),
  "content-length: ",
].join("\r\n");
let left = Number(count);

async function lane() {
  const connection = await Deno.connect({ hostname, port: Number(port) });
  connection.setNoDelay(true);
  const buffer = new Uint8Array(16_384);
  while (left-- > 0) {
    const body = messageBody({ number: `34600${left}`, text: "Ana" });
    await writeAll(connection, encoder.encode(`${head}${body.length}\r\n\r\n${body}`));
    await readResponse(connection, buffer);
  }
  connection.close();
}

async function writeAll(connection, bytes) {
  for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
}

async function readResponse(connection, buffer) {
  for (let read = 0;;) {
    read += await connection.read(buffer.subarray(read));
    const text = decoder.decode(buffer.subarray(0, read));
    const headEnd = text.indexOf("\r\n\r\n") + 4;
    const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1]);
    if (headEnd < 4 || read < headEnd + length) continue;
    return JSON.parse(text.slice(headEnd)).messages[0].id;
  }
}

console.log("ready");
await Promise.all(Array.from({ length: Number(inFlight) }, lane));
