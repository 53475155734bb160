import { useState } from "preact/hooks";
import type { WrittenBy } from "../data/sdk.ts";
import { initialsOf, memberName } from "./author.ts";

/** The picture of a member beside the name, or the initials. */
export function MemberAvatar({ name, pictureUrl, isLarge = false }: {
  name: string;
  pictureUrl: string | null | undefined;
  isLarge?: boolean;
}) {
  const [broken, setBroken] = useState<string>();
  return (
    <span class={`avatar ${isLarge ? "large" : "small"}`} aria-hidden="true">
      {pictureUrl && pictureUrl !== broken
        ? <img src={pictureUrl} alt="" onError={() => setBroken(pictureUrl)} />
        : initialsOf(name)}
    </span>
  );
}

/** The avatar of who wrote a message, where a member did. */
export function AuthorAvatar({ author, pictureUrl }: {
  author: WrittenBy | null;
  pictureUrl: string | null | undefined;
}) {
  if (author === null || author.user_id === null) return null;
  const { user_id, name } = author;
  return <MemberAvatar name={memberName({ user_id, name })} pictureUrl={pictureUrl} />;
}
