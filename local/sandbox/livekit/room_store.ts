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
  /** By identity. Nobody can really join here: tests put people in. */
  participants: Map<string, { sid: string; identity: string; name: string; state: "ACTIVE" }>;
}

/** The rooms that exist. Nothing outlives the process. */
export class RoomStore {
  readonly rooms = new Map<string, Room>();

  /** Makes a room, or answers the one there is, as the platform does. */
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
