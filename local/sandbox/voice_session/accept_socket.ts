import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Buffer } from "node:buffer";
// @ts-types="./ws.d.ts"
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { noFeedback } from "../voice/conversations/feedback.ts";
import { Conversation } from "./conversation.ts";
import type { SessionRecord } from "./session_record.ts";
import { newConversationId, type VoiceSessions } from "./voice_sessions.ts";

const PATH = "/v1/convai/conversation";
const MAX_FRAME = 1024 * 1024;

/** Accepts WebSockets at `/v1/convai/conversation`; refuses every other upgrade. */
export function createSocketAcceptor(
  sessions: VoiceSessions,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME,
    // The client offers `convai` and `bearer.<token>`; browsers close when the server chooses none.
    handleProtocols: (offered) => offered.has("convai") ? "convai" : false,
  });
  return (request, socket, head) => {
    const url = new URL(request.url ?? "/", "http://sandbox");
    if (url.pathname !== PATH) return void socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
    server.handleUpgrade(request, socket, head, (webSocket) => converse(sessions, webSocket, url));
  };
}

function converse(sessions: VoiceSessions, webSocket: WebSocket, url: URL): void {
  const agentId = url.searchParams.get("agent_id");
  const signature = sessions.verify(url.searchParams.get("conversation_signature"), agentId);
  webSocket.on("error", () => webSocket.terminate());
  if (signature === undefined) return webSocket.close(1008, "The signed URL is invalid or has expired");
  const { account, agent, conversationId } = signature;
  const record: SessionRecord = {
    id: conversationId ?? newConversationId(),
    agentId: agent.agentId,
    agentName: agent.name,
    apiKey: account.apiKey,
    startedAt: sessions.now(),
    endedAt: null,
    failed: false,
    terminationReason: null,
    textOnly: false,
    userId: null,
    language: "en",
    authorization: "signed_url",
    dynamicVariables: {},
    context: [],
    transcript: [],
    feedback: noFeedback(),
  };
  const fault = sessions.drawFault("socket", agent.agentId);
  const conversation = new Conversation(sessions, record, agent.firstMessage, webSocket, fault);
  const untrack = sessions.track(() => webSocket.terminate());
  webSocket.on("message", (data: RawData) => conversation.receive(data.toString()));
  webSocket.on("close", (code: number, reason: Buffer) => {
    untrack();
    conversation.closed(code, reason.toString());
  });
}
