import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import { API_KEY, OTHER_API_KEY, withVoice } from "./with_voice.ts";

Deno.test("GET conversations/{id}/audio returns a WAV file as long as the call", () =>
  withVoice(async ({ dial, url, call }) => {
    const path = `/v1/convai/conversations/${(await dial()).body.conversation_id}`;

    await eventually(async () => assert.equal((await call("GET", path)).body.has_audio, true));

    const response = await fetch(`${url}${path}/audio`, { headers: { "xi-api-key": API_KEY } });
    const { buffer } = await response.bytes();

    const text = (from: number, to: number) => new TextDecoder().decode(buffer.slice(from, to));
    const number = (at: number) => new DataView(buffer).getUint32(at, true);
    const { metadata } = (await call("GET", path)).body;
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "audio/wav"]);
    assert.deepEqual([text(0, 4), text(8, 16), text(36, 40)], ["RIFF", "WAVEfmt ", "data"]);
    assert.deepEqual([number(4), number(40)], [buffer.byteLength - 8, buffer.byteLength - 44]);
    assert.equal(number(40) / number(28), metadata.call_duration_secs);
    assert.ok(new Set(new Uint8Array(buffer, 44)).size > 2, "is not silent");
  }, { settings: { duration_secs: 3 } }));

Deno.test("GET conversations/{id}/audio refuses a missing, wrong or other key, and a call without a recording", () =>
  withVoice(async ({ dial, call, control }) => {
    const id = (await dial()).body.conversation_id;
    const read = (conversation: string, key?: string | null) =>
      call("GET", `/v1/convai/conversations/${conversation}/audio`, key === undefined ? {} : { key });
    await control("PUT", "voice/settings", { analysis_ms: 600_000 });
    const analysed = (await dial()).body.conversation_id;

    const responses = [
      await read(id, null),
      await read(id, "wrong"),
      await read(id, OTHER_API_KEY),
      await read("conv_none"),
      await read((await dial({ to_number: "+573000000102" })).body.conversation_id),
      await read(analysed),
    ];

    assert.deepEqual(responses.map(({ status }) => status), [401, 401, 404, 404, 404, 404]);
  }));
