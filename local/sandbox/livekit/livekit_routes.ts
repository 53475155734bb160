import type { Context } from "hono";
import { z } from "zod";
import type { SandboxApp } from "../http/sandbox_app.ts";
import { type Room, RoomStore } from "./room_store.ts";
import { type Grants, verifyToken } from "./verify_token.ts";

interface Method {
  allowed: (grants: Grants, room: string) => boolean;
  answer: (store: RoomStore, body: Body) => Record<string, unknown> | undefined;
}

/** Twirp clients write camelCase or snake_case; both are read. */
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
    answer: (store, { name = "", emptyTimeout, departureTimeout, maxParticipants, metadata }) =>
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
    answer: (store, { room = "" }) => store.rooms.delete(room) ? {} : undefined,
  },
  ListRooms: {
    allowed: ({ roomList }) => roomList === true,
    answer: (store, { names = [] }) => {
      const rooms = [...store.rooms.values()];
      return { rooms: rooms.filter(({ name }) => names.length === 0 || names.includes(name)).map(view) };
    },
  },
  ListParticipants: {
    allowed: isAdmin,
    answer: (store, { room = "" }) => {
      const found = store.rooms.get(room);
      return found && { participants: [...found.participants.values()] };
    },
  },
  RemoveParticipant: {
    allowed: isAdmin,
    answer: (store, { room = "", identity = "" }) => {
      const found = store.rooms.get(room);
      if (found === undefined || !found.participants.delete(identity)) return undefined;
      found.num_participants = found.participants.size;
      return {};
    },
  },
};

/**
 * The room service of LiveKit, without its media: rooms are made, listed and deleted by anybody with the right token,
 * and nobody can join one. Wire facts: Twirp over JSON, tokens as `livekit-server-sdk` signs them.
 */
export function registerLivekitRoutes(
  app: SandboxApp,
  key: { apiKey: string; apiSecret: string } | undefined,
): void {
  if (key === undefined) return;
  const store = new RoomStore();
  app.post("/twirp/livekit.RoomService/:method", (c) => call(store, key, c));
  app.get("/sandbox/livekit/rooms", (c) => c.json({ data: [...store.rooms.values()].map(view) }));
}

async function call(
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
  const answer = method.answer(store, body.data);
  return answer === undefined ? refuse(c, 404, "not_found", "requested room does not exist") : c.json(answer);
}

function view({ participants: _, ...room }: Room): Record<string, unknown> {
  return room;
}

/** The client reads the code only when the content type is exactly this. */
function refuse(c: Context, status: 400 | 401 | 404, code: string, msg: string): Response {
  return c.body(JSON.stringify({ code, msg }), status, { "Content-Type": "application/json" });
}
