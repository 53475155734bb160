// Command first sends a message, waits until it was sent, and lists the company's campaigns.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/outbound/outbound-go"
)

func main() {
	ctx := context.Background()
	client, err := outbound.New(outbound.Options{})
	check(err)
	sent, err := client.SendCampaign(ctx, outbound.ChatNotification{
		NameTemplate:     "order_update",
		LanguageTemplate: "en_US",
		RecipientID:      os.Getenv("SENDER"),
		NotificationType: "utility",
		CampaignName:     "From Go",
		ComponentsPush:   map[string]string{"body_text_0": "{{name}}", "body_text_1": "A-1001"},
	}, slices.Values([]outbound.Contact{{Number: "34600111222", Name: "Ana"}}), nil)
	check(err)
	_, err = client.WaitForCampaign(ctx, sent.CampaignID, nil)
	check(err)
	for campaign, err := range client.Campaigns.AllCampaigns(ctx, outbound.Mine, nil) {
		check(err)
		fmt.Println(campaign.CampaignName, campaign.Status)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
