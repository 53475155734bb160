import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { link, may } from "../../data/company.ts";
import { resumeSender, type SenderDetails } from "../../data/sdk.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Copy } from "../../components/copy.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Fact, Facts, Figure, Figures } from "../../components/facts.tsx";
import { PageHead, Section } from "../../components/page_head.tsx";
import { Time } from "../../components/time.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { count, phone } from "../../i18n/format.ts";
import { describeLimit, describeQuality, describeRate, SenderBadge } from "../senders/describe_sender.tsx";
import { RateDialog } from "./rate_dialog.tsx";
import { senderPath, useSender } from "./sender_data.ts";
import { Trouble } from "./trouble.tsx";
import { words } from "../../i18n/words.ts";

/** One number: how fast it sends, how the platform rates it, and why it does not send. */
export default function SenderScreen({ params }: { params: Record<string, string> }) {
  const path = senderPath(params.sender_id!);
  const { data: sender, problem, reload } = useSender(path);
  const [isChanging, setChanging] = useState(false);
  if (sender === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const names = words().sender;

  async function resume(): Promise<void> {
    const done = await attempt(() => ask(resumeSender({ client: api(), path })));
    if (done) toast(names.resumed);
    reload();
  }

  return (
    <>
      <PageHead
        title={phone(sender.number)}
        above={{ title: words().senders.title, href: link(["senders"]) }}
        badge={<SenderBadge sender={sender} />}
        facts={<span>{words().common.channels[sender.channel]}</span>}
        actions={may("operator") && (
          <>
            <Button onPress={() => setChanging(true)}>{names.changeRate}</Button>
            {sender.status === "stopped"
              ? <Button kind="main" icon="play" onPress={resume}>{names.resume}</Button>
              : (
                <ButtonLink kind="main" href={link(["compose"], { sender: sender.sender_id })}>
                  {names.newCampaign}
                </ButtonLink>
              )}
          </>
        )}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <Trouble sender={sender} />
      <Now sender={sender} />
      <About sender={sender} />
      {isChanging && <RateDialog {...{ sender, path }} onClose={() => setChanging(false)} onDone={reload} />}
    </>
  );
}

function Now({ sender }: { sender: SenderDetails }) {
  const names = words().sender;
  const { waiting, ongoing_calls, channel, quality } = sender;
  return (
    <Figures>
      <Figure
        name={names.waiting}
        value={count(waiting)}
        note={names.waitingNote}
        href={link(["campaigns"], { open: "true", channel })}
      />
      {channel === "voice" && (
        <Figure
          name={names.ongoing}
          value={count(ongoing_calls)}
          href={link(["calls"], { ongoing: "true" })}
        />
      )}
      <Figure name={names.speed} value={describeRate(sender)} />
      {channel === "whatsapp" && (
        <Figure
          name={words().senders.quality}
          value={describeQuality(quality) ?? words().senders.qualities.UNKNOWN}
          isBad={quality === "RED"}
        />
      )}
    </Figures>
  );
}

function About({ sender }: { sender: SenderDetails }) {
  const names = words().sender;
  const { channel, messaging_limit, platform_id, waba_id, has_token } = sender;
  const limit = describeLimit(messaging_limit);
  return (
    <Section title={names.facts}>
      <Facts>
        <Fact name={names.limit}>
          {limit && (
            <>
              {limit} <span class="help">{names.limitHelp}</span>
            </>
          )}
        </Fact>
        <Fact name={names.notice}>
          {sender.platform_notice && (
            <>
              {sender.platform_notice} <Time at={sender.platform_notice_at} />
            </>
          )}
        </Fact>
        <Fact name={names.platformId}>
          <span class="with-copy">
            <code>{platform_id}</code>
            <Copy text={platform_id} />
          </span>
        </Fact>
        <Fact name={names.account}>{waba_id && <code>{waba_id}</code>}</Fact>
        <Fact name={names.token}>{has_token ? names.hasToken : names.noToken}</Fact>
        {channel === "whatsapp" && (
          <Fact name={names.marketing}>{names.endpoints[sender.marketing_endpoint]}</Fact>
        )}
        <Fact name={names.added}>
          <Time at={sender.created_at} style="full" />
        </Fact>
      </Facts>
    </Section>
  );
}
