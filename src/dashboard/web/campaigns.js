// SPDX-License-Identifier: MIT
// The campaigns that the user may see, for their names and the switcher.
import { getWhole } from "./api.js";
import { store, useStore } from "./store.js";

export const campaigns = store([]);
export const useCampaigns = () => useStore(campaigns);
export const campaignName = id => campaigns.get().find(one => one.id === Number(id))?.name || `Campaign ${id}`;

export async function readCampaigns() {
	campaigns.set((await getWhole("campaigns")).value);
}
