import type { CampaignDetails } from "../../data/sdk.ts";
import { PhonePreview } from "../../components/phone_preview.tsx";
import { phone } from "../../i18n/format.ts";
import { useMessage } from "./about_data.ts";
import type { CampaignPath } from "./campaign_data.ts";
import { words } from "../../i18n/words.ts";

/** The message of a campaign, on a phone. */
export function Message({ campaign, path }: { campaign: CampaignDetails; path: CampaignPath }) {
  const { data } = useMessage(path, campaign);
  const names = words().campaign;
  if (data === undefined) return null;
  return (
    <>
      <PhonePreview label={names.message} message={data.message} from={phone(campaign.sender.number)} />
      <p class="help">{data.isSent ? names.messageSent : names.messageExample}</p>
    </>
  );
}
