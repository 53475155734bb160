import postman from "postman-collection";
import { respond } from "./respond.ts";

/** The parts of an item of the library, which brings no types that Deno finds. */
interface Item {
  request: { method: string; url: object; body?: object };
  getAuth(): object;
}

/** Reads a collection with Postman's own library: its requests, with the variables of their paths filled in. */
function read(definition: object) {
  const collection = new postman.Collection(definition);
  const requests: object[] = [];
  collection.forEachItem((item: Item) => {
    const { method, url, body } = item.request;
    const auth = JSON.stringify(item.getAuth());
    requests.push({ method, url: url.toString(), auth, body: body?.toString() ?? null });
  });
  return { requests, variables: collection.variables.toObject() };
}

if (import.meta.main) await respond(read);
