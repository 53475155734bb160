import type { Context } from "hono";
import { z } from "zod";
import { findNumber } from "../accounts/accounts.ts";
import { ControlError, readControlBody } from "../control/control_request.ts";
import type { SandboxApp } from "../http/sandbox_app.ts";
import { mediaResponse } from "../media/media_routes.ts";
import type { Platform } from "../platform.ts";
import { moveNumber, renewUserId, setBlocked, setMarketing } from "./change_person.ts";
import { inboundBodySchema } from "./inbound_message.ts";
import { type Person, personView, userIdIn } from "./person.ts";
import { receiveMessage, type Sender } from "./receive_message.ts";

const numberSchema = z.string().transform((number) => number.replace(/[-+() ]/g, "")).pipe(
  z.string().regex(/^[1-9]\d{6,14}$/, "must be a phone number with the country code, 7 to 15 digits"),
);

/** The business number that an action is about; without it, the one that wrote to the phone last. */
const aboutSender = { phone_number_id: z.string().optional() };
const senderBody = z.strictObject(aboutSender);

/** Registers what people do with their phones, under `/sandbox/phones/{number}`, and `GET /sandbox/media/{id}`. */
export function registerPersonRoutes(app: SandboxApp, platform: Platform): void {
  app.get("/sandbox/phones/:number", (c) => {
    const { messages, inbound } = platform.ledger.chat(personOf(platform, c).number);
    return c.json({
      ...phoneView(platform, personOf(platform, c)),
      messages: messages.map(({ message }) => message),
      inbound,
    });
  });
  app.post("/sandbox/phones/:number/messages", async (c) => {
    const body = await readControlBody(c, z.looseObject(aboutSender));
    const { phone_number_id, ...message } = body;
    const parsed = inboundBodySchema.safeParse(message);
    if (!parsed.success) throw new ControlError(400, z.prettifyError(parsed.error));
    const person = personOf(platform, c);
    return c.json(receiveMessage(platform, senderOf(platform, person, phone_number_id), person, parsed.data));
  });
  registerChoices(app, platform);
  registerIdentity(app, platform);
  app.get("/sandbox/media/:id", (c) => {
    const media = platform.media.get(c.req.param("id"));
    if (media === undefined) throw new ControlError(404, "There is no media file with this id");
    return mediaResponse(media);
  });
}

/** Registers `…/stop`, `…/resume`, `…/block` and `…/unblock`. */
function registerChoices(app: SandboxApp, platform: Platform): void {
  const choices: Record<string, (sender: Sender, person: Person) => Person> = {
    stop: (sender, person) => setMarketing(platform, sender, person, "stop"),
    resume: (sender, person) => setMarketing(platform, sender, person, "resume"),
    block: (sender, person) => setBlocked(platform, sender, person, true),
    unblock: (sender, person) => setBlocked(platform, sender, person, false),
  };
  for (const [name, choose] of Object.entries(choices)) {
    app.post(`/sandbox/phones/:number/${name}`, async (c) => {
      const { phone_number_id } = await readControlBody(c, senderBody);
      const person = personOf(platform, c);
      return c.json(publish(platform, choose(senderOf(platform, person, phone_number_id), person)));
    });
  }
}

/** Registers `…/rename`, `…/hide`, `…/show`, `…/move` and `…/renew`: how a person is known. */
function registerIdentity(app: SandboxApp, platform: Platform): void {
  app.post("/sandbox/phones/:number/rename", async (c) => {
    const { name } = await readControlBody(c, z.strictObject({ name: z.string().min(1).max(25) }));
    return c.json(publish(platform, platform.people.change(personOf(platform, c).number, { name })));
  });
  app.post("/sandbox/phones/:number/hide", async (c) => {
    const { username } = await readControlBody(c, hideBody);
    const { number } = personOf(platform, c);
    const changes = { username: username ?? `@user.${number.slice(-4)}` };
    return c.json(publish(platform, platform.people.change(number, changes)));
  });
  app.post("/sandbox/phones/:number/show", async (c) => {
    await readControlBody(c, z.strictObject({}));
    const { number } = personOf(platform, c);
    return c.json(publish(platform, platform.people.change(number, { username: null })));
  });
  app.post("/sandbox/phones/:number/move", async (c) => {
    const { to } = await readControlBody(c, z.strictObject({ to: numberSchema }));
    const person = personOf(platform, c);
    const moved = moveNumber(platform, person, to);
    publish(platform, platform.people.at(person.number));
    return c.json(publish(platform, moved));
  });
  app.post("/sandbox/phones/:number/renew", async (c) => {
    await readControlBody(c, z.strictObject({}));
    return c.json(publish(platform, renewUserId(platform, personOf(platform, c))));
  });
}

const hideBody = z.strictObject({
  /** With or without "@". */
  username: z.string().regex(/^@?[a-z0-9._]{3,35}$/, "3 to 35 of a-z, 0-9, '.' and '_'")
    .transform((name) => name.startsWith("@") ? name : `@${name}`).optional(),
});

function personOf(platform: Platform, c: Context): Person {
  const number = numberSchema.safeParse(c.req.param("number"));
  if (!number.success) throw new ControlError(400, z.prettifyError(number.error));
  return platform.people.at(number.data);
}

/** The business number of an action. Throws 404 for an unknown one and 409 when none is named or known. */
function senderOf(platform: Platform, person: Person, phoneNumberId: string | undefined): Sender {
  const { messages, inbound } = platform.ledger.chat(person.number);
  const id = phoneNumberId ?? messages.at(-1)?.message.phone_number_id ?? inbound.at(-1)?.phone_number_id;
  if (id === undefined) {
    throw new ControlError(409, `+${person.number} has no messages yet: name a phone_number_id`);
  }
  const sender = findNumber(platform.accounts.list(), id);
  if (sender === undefined) throw new ControlError(404, "There is no number with this id");
  return sender;
}

function publish(platform: Platform, person: Person) {
  platform.events.publish({ kind: "person", person: personView(person) });
  return phoneView(platform, person);
}

/** A person, with the user id in each account. */
function phoneView(platform: Platform, person: Person) {
  const ids = platform.accounts.list().map(({ wabaId }) => [wabaId, userIdIn(wabaId, person)]);
  return { ...personView(person), user_ids: Object.fromEntries(ids) };
}
