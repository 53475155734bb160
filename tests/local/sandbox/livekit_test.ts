import assert from "node:assert/strict";
import { RoomServiceClient } from "livekit-server-sdk";
import { startSandbox } from "../../../local/sandbox/start.ts";

const KEY = { apiKey: "devkey", apiSecret: "secret-of-thirty-two-characters!!" };

async function withRooms(fn: (url: string, rooms: RoomServiceClient) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({
    port: 0,
    webhookUrl: null,
    appSecret: "secret",
    accounts: [],
    voiceSessions: { accounts: [], livekit: KEY },
  });
  try {
    await fn(sandbox.url, new RoomServiceClient(sandbox.url, KEY.apiKey, KEY.apiSecret));
  } finally {
    await sandbox.close();
  }
}

Deno.test("livekit: the platform's own client makes, lists and deletes rooms", () =>
  withRooms(async (_url, rooms) => {
    await rooms.createRoom({ name: "handover-1", emptyTimeout: 60, maxParticipants: 2 });
    const [room] = await rooms.listRooms(["handover-1"]);

    assert.equal(room?.emptyTimeout, 60);
    assert.deepEqual(await rooms.listParticipants("handover-1"), []);
    await rooms.deleteRoom("handover-1");
    assert.deepEqual(await rooms.listRooms(), []);
    await assert.rejects(rooms.deleteRoom("handover-1"), { status: 404, code: "not_found" });
  }));

Deno.test("livekit: a token of another key, or without the grant, opens nothing", () =>
  withRooms(async (url, rooms) => {
    const foreign = new RoomServiceClient(url, KEY.apiKey, "another-secret-of-some-characters");

    await assert.rejects(foreign.createRoom({ name: "x" }), { status: 401, code: "unauthenticated" });
    await assert.rejects(rooms.removeParticipant("nowhere", "nobody"), { status: 404 });
  }));
