"""What a stack becomes, and why: the sentences that `dynamo-stack explain` and the page share."""
