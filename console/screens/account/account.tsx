import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { isTest } from "../../data/company.ts";
import { useQuery } from "../../data/query.ts";
import { askingApp } from "../../data/session/asking_app.ts";
import { type Factor, listFactors, removeFactor } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { Time } from "../../components/time.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { Connect } from "./connect.tsx";
import { MyPicture } from "./picture.tsx";
import { SetUpFactor } from "./set_up_factor.tsx";
import { words } from "../../i18n/words.ts";

/** The member's own account: picture and second factors, and first of all an app that asks to be let in. */
export default function Account() {
  return askingApp.value === undefined ? <Factors /> : <Connect authorization={askingApp.value} />;
}

function Factors() {
  const [isSettingUp, setSettingUp] = useState(false);
  const { data, problem, reload } = useQuery(
    "factors",
    (signal) => ask(listFactors({ client: api(), signal })),
  );
  const factors = data?.factors.filter(({ is_verified }) => is_verified);
  const { title, factors: heading, factorsHelp, none, name, since, remove, setUp } = words().account;
  return (
    <>
      <PageHead title={title} />
      <div class="panels">
        {!isTest() && <MyPicture />}
        <section class="panel">
          <h2>{heading}</h2>
          <p>{factorsHelp}</p>
          {problem && <ErrorNotice problem={problem} onRetry={reload} />}
          {factors === undefined && !problem && <p role="status">{words().common.loading}</p>}
          {factors?.length === 0 && <p>{none}</p>}
          {factors !== undefined && factors.length > 0 && (
            <PlainTable
              rows={factors}
              keyOf={({ factor_id }) => factor_id}
              columns={[
                { title: name, cell: (factor) => factor.name },
                { title: since, cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  title: remove,
                  align: "end",
                  cell: (factor) => <Button onPress={() => drop(factor, reload)}>{remove}</Button>,
                },
              ]}
            />
          )}
          <Button kind="main" onPress={() => setSettingUp(true)}>{setUp}</Button>
        </section>
      </div>
      {isSettingUp && <SetUpFactor onClose={() => setSettingUp(false)} onSaved={reload} />}
    </>
  );
}

async function drop({ factor_id, name }: Factor, reload: () => void): Promise<void> {
  const { removeTitle, removeText, remove, removed } = words().account;
  if (!await confirm({ title: removeTitle(name), text: removeText, action: remove, isDanger: true })) return;
  const request = removeFactor({ client: api(), path: { factor_id } });
  if (await attempt(() => ask(request).then(() => true))) toast(removed);
  reload();
}
