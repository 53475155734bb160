import { api, ask } from "../../data/client.ts";
import { liveCompany, may } from "../../data/company.ts";
import { useQuery } from "../../data/query.ts";
import { listMembers } from "../../data/sdk.ts";
import { words } from "../../i18n/words.ts";

/** Returns who an actor is: `user:<id>` by e-mail, where the API shows it. */
export type ActorName = (actor: string) => string;

/** Reads the members' e-mails, which owners alone may see; for others a user is an id. */
export function useActorNames(): ActorName {
  // The members of a test company are those of the live one.
  const path = { company_id: liveCompany()?.company_id ?? "" };
  const { data } = useQuery(
    `actors ${path.company_id} ${may("owner")}`,
    async (signal) => may("owner") ? (await ask(listMembers({ client: api(), path, signal }))).members : [],
  );
  const { cli, platform, key, user } = words().audit;
  return (actor) => {
    const [kind, id = ""] = actor.split(":");
    if (kind === "cli") return cli;
    if (kind === "platform") return platform;
    const short = `…${id.slice(-6)}`;
    if (kind === "key") return `${key} ${short}`;
    const member = data?.find(({ user_id }) => user_id === id);
    return member?.email ?? `${user} ${short}`;
  };
}
