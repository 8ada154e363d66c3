"""What an account must offer before `pulumi up` spends half an hour finding out."""
