// The part of `ws` that the sandbox uses. The package's own types bring those of all of Node with them.
import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export type RawData = Buffer | ArrayBuffer | Buffer[];

export interface WebSocket {
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "message", listener: (data: RawData) => void): this;
  on(event: "close", listener: (code: number, reason: Buffer) => void): this;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  terminate(): void;
}

export class WebSocketServer {
  constructor(options: {
    noServer: true;
    maxPayload: number;
    handleProtocols: (offered: Set<string>) => string | false;
  });
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    callback: (webSocket: WebSocket) => void,
  ): void;
}
