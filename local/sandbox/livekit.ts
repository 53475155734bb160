import type { Context } from "hono";
import { z } from "zod";
import { jwtVerify } from "jose";
import type { SandboxApp } from "./http/sandbox_app.ts";

interface Method {
  allowed: (grants: Grants, room: string) => boolean;
  run: (store: RoomStore, body: Body) => Record<string, unknown> | undefined;
}

/** Twirp clients write camelCase or snake_case; the sandbox reads both. */
const bodySchema = z.looseObject({
  name: z.string().optional(),
  names: z.array(z.string()).optional(),
  room: z.string().optional(),
  identity: z.string().optional(),
  emptyTimeout: z.number().optional(),
  departureTimeout: z.number().optional(),
  maxParticipants: z.number().optional(),
  metadata: z.string().optional(),
});

type Body = z.infer<typeof bodySchema>;

const canCreate = ({ roomCreate }: Grants) => roomCreate === true;
const isAdmin = ({ roomAdmin, room }: Grants, wanted: string) => roomAdmin === true && room === wanted;

const METHODS: Record<string, Method> = {
  CreateRoom: {
    allowed: canCreate,
    run: (store, { name = "", emptyTimeout, departureTimeout, maxParticipants, metadata }) =>
      view(store.create({
        name,
        ...(emptyTimeout !== undefined && { empty_timeout: emptyTimeout }),
        ...(departureTimeout !== undefined && { departure_timeout: departureTimeout }),
        ...(maxParticipants !== undefined && { max_participants: maxParticipants }),
        ...(metadata !== undefined && { metadata }),
      })),
  },
  DeleteRoom: {
    allowed: canCreate,
    run: (store, { room = "" }) => store.rooms.delete(room) ? {} : undefined,
  },
  ListRooms: {
    allowed: ({ roomList }) => roomList === true,
    run: (store, { names = [] }) => {
      const rooms = [...store.rooms.values()];
      return { rooms: rooms.filter(({ name }) => names.length === 0 || names.includes(name)).map(view) };
    },
  },
  ListParticipants: {
    allowed: isAdmin,
    run: (store, { room = "" }) => {
      const found = store.rooms.get(room);
      return found && { participants: [...found.participants.values()] };
    },
  },
  RemoveParticipant: {
    allowed: isAdmin,
    run: (store, { room = "", identity = "" }) => {
      const found = store.rooms.get(room);
      if (found === undefined || !found.participants.delete(identity)) return undefined;
      found.num_participants = found.participants.size;
      return {};
    },
  },
};

/**
 * Registers LiveKit's room service without its media: a client with the right token creates, lists and deletes rooms,
 * and none can join one. Wire facts: Twirp over JSON, tokens as `livekit-server-sdk` signs them.
 */
export function registerLivekitRoutes(
  app: SandboxApp,
  key: { apiKey: string; apiSecret: string },
): void {
  const store = new RoomStore();
  app.post("/twirp/livekit.RoomService/:method", (c) => handle(store, key, c));
  app.get("/sandbox/livekit/rooms", (c) => c.json({ data: [...store.rooms.values()].map(view) }));
}

async function handle(
  store: RoomStore,
  key: { apiKey: string; apiSecret: string },
  c: Context,
): Promise<Response> {
  const name = c.req.param("method") ?? "";
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) return refuse(c, 404, "bad_route", `no handler for path ${c.req.path}`);
  const grants = await verifyToken(c.req.header("Authorization"), key);
  if (grants === undefined) return refuse(c, 401, "unauthenticated", "invalid or missing token");
  const body = bodySchema.safeParse(await c.req.json().catch(() => undefined));
  if (!body.success) return refuse(c, 400, "malformed", "the json request could not be decoded");
  if (!method.allowed(grants, body.data.room ?? "")) {
    return refuse(c, 401, "unauthenticated", "permissions denied");
  }
  const result = method.run(store, body.data);
  return result === undefined ? refuse(c, 404, "not_found", "requested room does not exist") : c.json(result);
}

function view({ participants: _, ...room }: Room): Record<string, unknown> {
  return room;
}

/** The client reads the code only when the content type is exactly this. */
function refuse(c: Context, status: 400 | 401 | 404, code: string, msg: string): Response {
  return c.body(JSON.stringify({ code, msg }), status, { "Content-Type": "application/json" });
}

const grantsSchema = z.looseObject({
  roomCreate: z.boolean().optional(),
  roomList: z.boolean().optional(),
  roomAdmin: z.boolean().optional(),
  room: z.string().optional(),
});

export type Grants = z.infer<typeof grantsSchema>;

/** The grants of a token; undefined when it is missing, forged, expired or another key's. */
async function verifyToken(
  authorization: string | undefined,
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
): Promise<Grants | undefined> {
  const token = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) return undefined;
  try {
    const secret = new TextEncoder().encode(apiSecret);
    const { payload } = await jwtVerify(token, secret, { issuer: apiKey, algorithms: ["HS256"] });
    return grantsSchema.safeParse(payload.video).data;
  } catch {
    return undefined;
  }
}

/** A room of the simulated real-time platform. */
export interface Room {
  sid: string;
  name: string;
  empty_timeout: number;
  departure_timeout: number;
  max_participants: number;
  /** Unix seconds, as text: the platform writes 64-bit numbers so. */
  creation_time: string;
  num_participants: number;
  metadata: string;
  /** By identity. No client can join; tests add participants. */
  participants: Map<string, { sid: string; identity: string; name: string; state: "ACTIVE" }>;
}

/** The existing rooms. None outlives the process. */
class RoomStore {
  readonly rooms = new Map<string, Room>();

  /** Makes a room, or returns the existing one, as the platform does. */
  create(
    request: {
      name: string;
      empty_timeout?: number;
      departure_timeout?: number;
      max_participants?: number;
      metadata?: string;
    },
  ): Room {
    const known = this.rooms.get(request.name);
    if (known !== undefined) return known;
    const room: Room = {
      sid: `RM_${crypto.randomUUID().slice(0, 12)}`,
      name: request.name,
      empty_timeout: request.empty_timeout ?? 300,
      departure_timeout: request.departure_timeout ?? 20,
      max_participants: request.max_participants ?? 0,
      creation_time: String(Math.floor(Date.now() / 1000)),
      num_participants: 0,
      metadata: request.metadata ?? "",
      participants: new Map(),
    };
    this.rooms.set(room.name, room);
    return room;
  }
}
