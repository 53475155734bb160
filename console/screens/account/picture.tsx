import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { useQuery } from "../../data/query.ts";
import { getMyPicture, removeMyPicture, saveMyPicture } from "../../data/sdk.ts";
import { session } from "../../data/session/session.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { FileButton } from "../../components/file_button.tsx";
import { MemberAvatar } from "../../components/member_avatar.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { squarePicture } from "./square_picture.ts";
import { words } from "../../i18n/words.ts";

/** The member's own picture, which visitors and colleagues see. */
export function MyPicture() {
  const path = { company_id: companyId() };
  const [isBad, setBad] = useState(false);
  const { data, problem, reload } = useQuery(
    `my picture ${path.company_id}`,
    (signal) => ask(getMyPicture({ client: api(), path, signal })),
  );
  const { title, help, choose, bad, saved, removed, remove: removeIt } = words().myPicture;

  async function save(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const body = await squarePicture(file).catch(() => undefined);
    setBad(body === undefined);
    if (body === undefined) return;
    const headers = { "Content-Type": body.type };
    if (await attempt(() => ask(saveMyPicture({ client: api(), path, body, headers })))) toast(saved);
    reload();
  }

  async function remove(): Promise<void> {
    if (await attempt(() => ask(removeMyPicture({ client: api(), path })))) toast(removed);
    reload();
  }

  return (
    <section class="panel">
      <h2>{title}</h2>
      <p>{help}</p>
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <div class="with-avatar">
        <MemberAvatar
          name={session.value?.name ?? session.value?.email ?? ""}
          pictureUrl={data?.picture_url}
          isLarge
        />
        <FileButton label={choose} accept="image/png,image/jpeg,image/webp" onTake={save} />
        {data?.picture_url && <Button onPress={remove}>{removeIt}</Button>}
      </div>
      {isBad && <p class="error" role="alert">{bad}</p>}
    </section>
  );
}
