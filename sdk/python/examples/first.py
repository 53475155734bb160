"""Sends a message, and waits until it was sent."""

import os

from outbound import Outbound

outbound = Outbound()
sent = outbound.send_campaign(
    {
        "name_template": "order_update",
        "language_template": "en_US",
        "recipient_id": os.environ["SENDER"],
        "notification_type": "utility",
        "campaign_name": "From Python",
        "components_push": {"body_text_0": "{{name}}", "body_text_1": "A-1001"},
    },
    [{"number": "34600111222", "name": "Ana"}],
)
print(outbound.wait_for_campaign(sent.campaign_id))
